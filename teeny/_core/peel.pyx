"""Cells of a batch in Python; the walking itself stands in ``teeny/peel.h``.

All cells of one walk share one mapping, so a cell costs no more than its pointer.
"""

from libc.stdint cimport int64_t

from teeny._core.errors import ArgumentError, BoundsError, ShapeError
from teeny._core.geometry cimport recast, trailing
from teeny._core.layout cimport Extents, Mapping, integers
from teeny._core.view cimport Strided, View, make_view, refuse_pickle
from teeny._core.vocabulary cimport ERROR_BROADCAST, anyrank_t, integer, raise_status

from teeny._core.geometry import keep_strides

__all__ = ["BatchIndex", "Cells", "CellsTogether", "peel_together"]


cdef int64_t count_cells(Strided source, object keep, int *kept, str what) except -1:
    cdef int ndim = source.c.ndim
    cdef int64_t cells
    number = integer(keep, what, ": keep")
    if number > 0:
        raise ShapeError(f"{what}: keep: found {number}, expected 0 or less: -{number} keeps the trailing axes; "
                         f"what {number} leading ones leave would have a rank known only at run time")
    if number < -ndim:
        raise ShapeError(f"{what}: keep: found {number}, expected {-ndim} to 0: the array has {ndim} axes, "
                         f"shape {source.shape}")
    kept[0] = number
    cells = size_front(&source.c, number)
    if cells < 0:
        raise_status(cells, what)
    return cells


cdef Mapping cell_of(Strided source, int keep, str what):
    return trailing(source.mapping, -keep, source.mapping if source.tail is None else source.tail, what)


cdef View cell_at(Strided source, object i, object keep, object layout):
    cdef int kept
    cdef Extents tag = keep if isinstance(keep, Extents) else None
    cdef int64_t cells = count_cells(source, keep if tag is None else -tag.rank, &kept, "peel_front_at")
    cdef Mapping cell
    number = integer(i, "peel_front_at", ": i")
    if not 0 <= number < cells:
        raise BoundsError(f"peel_front_at: i: found {number}, expected the number of one of {cells} cells")
    cell = cell_of(source, kept, "peel_front_at")
    if tag is not None:
        cell = recast(cell, tag, layout, "peel_front_at")
    elif layout is not keep_strides:
        raise ArgumentError(f"peel_front_at: layout: found {layout!r} without a shape(...) that it belongs to")
    return make_view(source, cell, peel_at(&source.c, kept, number))


cdef object cells_of(Strided source, object keep):
    return Cells(source, keep)


cdef class Walk:
    """A range of the cells of a batch, in row-major order."""

    cdef int64_t lo, hi
    cdef bint enumerated

    cdef Walk again(self):
        """Another walk through the same cells."""
        raise NotImplementedError

    def __len__(self):
        return self.hi - self.lo

    def __reduce__(self):
        refuse_pickle(self)

    def subrange(self, lo, hi):
        """
        Only cells `lo` to `hi`, counted in this range.

        Parameters
        ----------
        lo, hi : int
            ``0 <= lo <= hi <= len(cells)``.

        Returns
        -------
        Cells or CellsTogether

        Raises
        ------
        BoundsError
            If they lie outside.
        """
        cdef Walk part = self.again()
        first, last = integer(lo, "subrange: lo"), integer(hi, "subrange: hi")
        if not 0 <= first <= last <= len(self):
            raise BoundsError(f"subrange: lo, hi: found {first} to {last}, expected a range within 0 to {len(self)}")
        part.lo, part.hi, part.enumerated = self.lo + first, self.lo + last, self.enumerated
        return part

    def enumerate(self):
        """
        The same cells as pairs ``(m, cell)``.

        Returns
        -------
        Cells or CellsTogether
            ``m[d]`` is the index along batch axis d, ``m.rank`` the number of them,
            ``m.linear`` the number of the cell in the whole batch.
        """
        cdef Walk pairs = self.again()
        pairs.lo, pairs.hi, pairs.enumerated = self.lo, self.hi, True
        return pairs


cdef class Cells(Walk):
    """
    The cells of a batch, in row-major order; made by `AnyRank.peel_front`.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import as_anyrank
    >>> cells = as_anyrank(np.arange(24).reshape(2, 3, 2, 2)).peel_front(-2)
    >>> len(cells)
    6
    >>> [np.asarray(cell)[0, 0].item() for cell in cells.subrange(1, 4)]
    [4, 8, 12]
    >>> [(tuple(m), m.linear) for m, cell in cells.subrange(2, 4).enumerate()]
    [((0, 2), 2), ((1, 0), 3)]
    """

    cdef Strided source
    cdef Mapping inner             # that all cells share
    cdef int keep

    def __cinit__(self, Strided source not None, keep):
        self.hi = count_cells(source, keep, &self.keep, "peel_front")
        self.source = source
        self.inner = cell_of(source, self.keep, "peel_front")

    cdef Walk again(self):
        return Cells(self.source, self.keep)

    def __iter__(self):
        return CellIterator(self)

    def __repr__(self):
        return f"Cells({self.lo} to {self.hi}, each of shape {self.inner.extents.shape})"


cdef class CellIterator:
    cdef Cells cells               # keeps alive what the cursor points into
    cdef cursor_t cursor

    def __cinit__(self, Cells cells not None):
        self.cells = cells
        raise_status(peel_begin(&self.cursor, &cells.source.c, cells.keep, cells.lo, cells.hi), "peel_front")

    def __iter__(self):
        return self

    def __next__(self):
        cdef View cell
        if not peel_next(&self.cursor):
            raise StopIteration
        cell = make_view(self.cells.source, self.cells.inner, self.cursor.cell)
        if not self.cells.enumerated:
            return cell
        return place_of(self.cursor.rank, self.cursor.index, self.cursor.linear), cell


def peel_together(*sources, keep):
    """
    The cells of several arrays, whose batches are broadcast against each other.

    Parameters
    ----------
    *sources : AnyRank
        Up to eight.
    keep : int or sequence of int
        Minus the number of trailing axes that make a cell; one for all, or one for each.

    Returns
    -------
    CellsTogether
        An iterable of tuples of `View`, with a length, ``.subrange(lo, hi)`` and ``.enumerate()``.

    Raises
    ------
    ShapeError
        If the batches do not broadcast, or an array has fewer axes than a cell.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import as_anyrank, peel_together
    >>> matrices, vectors = np.zeros((2, 1, 3, 3)), np.zeros((4, 3))
    >>> cells = peel_together(as_anyrank(matrices), as_anyrank(vectors), keep=(-2, -1))
    >>> len(cells)
    8
    >>> for m, (matrix, vector) in cells.subrange(0, 2).enumerate():
    ...     print(m, matrix.shape, vector.shape)
    BatchIndex(0, 0; linear=0) (3, 3) (3,)
    BatchIndex(0, 1; linear=1) (3, 3) (3,)
    """
    return CellsTogether(sources, keep)


cdef class CellsTogether(Walk):
    """
    The cells of several batches that are broadcast against each other; made by `peel_together`.

    Examples
    --------
    >>> import numpy as np
    >>> from teeny import as_anyrank, peel_together
    >>> x = np.arange(4.0)
    >>> y = np.zeros((3, 4))
    >>> for a, b in peel_together(as_anyrank(x), as_anyrank(y), keep=-1):
    ...     np.asarray(b)[...] = 2 * np.asarray(a)
    >>> y[2]
    array([0., 2., 4., 6.])
    """

    cdef tuple sources, keep
    cdef list inner                # that all cells of a source share
    cdef together_t first          # the cursor before the first cell of all

    def __cinit__(self, tuple sources not None, keep):
        cdef const anyrank_t *arrays[8]
        cdef int kept[8]
        cdef int k, count = len(sources)
        cdef int64_t cells
        if not 1 <= count <= MAX_TOGETHER:
            raise ArgumentError(f"peel_together: sources: found {count} arrays, expected 1 to {MAX_TOGETHER}")
        try:
            self.keep = integers(keep, "peel_together: keep")
        except ArgumentError:
            self.keep = (integer(keep, "peel_together: keep"),) * count
        if len(self.keep) != count:
            raise ArgumentError(f"peel_together: keep: found {keep!r}, expected one for each of {count} arrays")
        self.sources, self.inner = sources, []
        for k, source in enumerate(sources):
            if not isinstance(source, Strided):
                raise ArgumentError(f"peel_together: sources: found {type(source).__name__} at place {k}, "
                                    "expected AnyRank; as_anyrank makes one")
            count_cells(source, self.keep[k], &kept[k], "peel_together")
            self.inner.append(cell_of(source, kept[k], "peel_together"))
            arrays[k] = &(<Strided> source).c
        cells = together_begin(&self.first, arrays, kept, count)
        if cells == ERROR_BROADCAST:
            batches = ", ".join([str(source.shape[:len(source.shape) + kept[k]]) for k, source in enumerate(sources)])
            raise ShapeError(f"peel_together: sources: found batches {batches}, expected them to broadcast together")
        if cells < 0:
            raise_status(cells, "peel_together")
        self.hi = cells

    cdef Walk again(self):
        return CellsTogether(self.sources, self.keep)

    def __iter__(self):
        return TogetherIterator(self)

    def __repr__(self):
        shapes = ", ".join([str(mapping.extents.shape) for mapping in self.inner])
        return f"CellsTogether({self.lo} to {self.hi}, of shapes {shapes})"


cdef class TogetherIterator:
    cdef CellsTogether cells       # keeps alive what the cursor points into
    cdef together_t cursor

    def __cinit__(self, CellsTogether cells not None):
        self.cells = cells
        self.cursor = cells.first
        raise_status(together_subrange(&self.cursor, cells.lo, cells.hi), "peel_together")

    def __iter__(self):
        return self

    def __next__(self):
        cdef int k
        cdef tuple found
        if not together_next(&self.cursor):
            raise StopIteration
        found = tuple([make_view(<Strided> self.cells.sources[k], <Mapping> self.cells.inner[k], self.cursor.cell[k])
                       for k in range(len(self.cells.sources))])
        if not self.cells.enumerated:
            return found
        return place_of(self.cursor.rank, self.cursor.index, self.cursor.linear), found


cdef BatchIndex place_of(int rank, const int64_t *index, int64_t linear):
    cdef BatchIndex m = BatchIndex.__new__(BatchIndex)
    cdef int axis
    m.index = tuple([index[axis] for axis in range(rank)])
    m.linear = linear
    return m


cdef class BatchIndex:
    """Where a cell lies in its batch: one index per batch axis."""

    cdef tuple index
    cdef readonly int64_t linear

    def __init__(self):
        raise TypeError("BatchIndex is not made by calling it; use Cells.enumerate")

    @property
    def rank(self):
        """Number of batch axes."""
        return len(self)

    def __len__(self):
        return len(self.index or ())

    def __getitem__(self, d):
        return (self.index or ())[d]

    def __repr__(self):
        return f"BatchIndex({', '.join(map(str, self))}; linear={self.linear})"
