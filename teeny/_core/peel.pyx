"""Cells of a batch in Python; the walking itself stands in ``teeny/peel.h``.

All cells of one walk share one mapping, so a cell costs no more than its pointer.
"""

import operator

from libc.stdint cimport int64_t

from teeny._core.errors import ArgumentError, BoundsError, ShapeError
from teeny._core.geometry cimport recast, trailing
from teeny._core.layout cimport Extents, Mapping
from teeny._core.view cimport Strided, View, make_view
from teeny._core.vocabulary cimport raise_status

from teeny._core.geometry import keep_strides

__all__ = ["BatchIndex", "Cells"]


cdef int64_t count_cells(Strided source, object keep, int *kept, str what) except -1:
    cdef int ndim = source.c.ndim
    cdef int64_t cells
    number = integer(keep, what)
    if number > 0:
        raise ShapeError(f"{what}: found {number}, expected 0 or less: -{number} keeps the trailing axes; "
                         f"what {number} leading ones leave would have a rank known only at run time")
    if number < -ndim:
        raise ShapeError(f"{what}: found {number}, expected {-ndim} to 0: the array has {ndim} axes, "
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
    number = integer(i, "peel_front_at")
    if not 0 <= number < cells:
        raise BoundsError(f"peel_front_at: found cell {number}, expected 0 to {cells - 1} of {cells} cells")
    cell = cell_of(source, kept, "peel_front_at")
    if tag is not None:
        cell = recast(cell, tag, layout, "peel_front_at")
    elif layout is not keep_strides:
        raise ArgumentError(f"peel_front_at: layout: found {layout!r} without a shape(...) that it belongs to")
    return make_view(source, cell, peel_at(&source.c, kept, number))


cdef object cells_of(Strided source, object keep):
    return Cells(source, keep)


cdef class Cells:
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
    cdef int64_t lo, hi
    cdef bint enumerated

    def __cinit__(self, Strided source not None, keep):
        self.hi = count_cells(source, keep, &self.keep, "peel_front")
        self.source = source
        self.inner = cell_of(source, self.keep, "peel_front")

    def __len__(self):
        return self.hi - self.lo

    def __iter__(self):
        return CellIterator(self)

    def subrange(self, lo, hi):
        """
        Only cells `lo` to `hi`, counted in this range.

        Parameters
        ----------
        lo, hi : int
            ``0 <= lo <= hi <= len(cells)``.

        Returns
        -------
        Cells

        Raises
        ------
        BoundsError
            If they lie outside.
        """
        cdef Cells part = Cells(self.source, self.keep)
        first, last = integer(lo, "subrange"), integer(hi, "subrange")
        if not 0 <= first <= last <= len(self):
            raise BoundsError(f"subrange: found {first} to {last}, expected a range within 0 to {len(self)}")
        part.lo, part.hi, part.enumerated = self.lo + first, self.lo + last, self.enumerated
        return part

    def enumerate(self):
        """
        The same cells as pairs ``(m, cell)``.

        Returns
        -------
        Cells
            ``m[d]`` is the index along batch axis d, ``m.rank`` the number of them,
            ``m.linear`` the number of the cell in the whole batch.
        """
        cdef Cells pairs = Cells(self.source, self.keep)
        pairs.lo, pairs.hi, pairs.enumerated = self.lo, self.hi, True
        return pairs

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
        cdef BatchIndex m
        cdef View cell
        cdef int axis
        if not peel_next(&self.cursor):
            raise StopIteration
        cell = make_view(self.cells.source, self.cells.inner, self.cursor.cell)
        if not self.cells.enumerated:
            return cell
        m = BatchIndex.__new__(BatchIndex)
        m.index = tuple([self.cursor.index[axis] for axis in range(self.cursor.rank)])
        m.linear = self.cursor.linear
        return m, cell


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


cdef object integer(object value, str what):
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentError(f"{what}: found {value!r}, expected an integer") from None
