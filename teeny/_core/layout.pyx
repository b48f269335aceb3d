"""Extents and the three mappings from an index to the offset of an element.

A mapping never changes, so that any number of views share one.
"""

import operator

from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free

from teeny._core.errors import ArgumentError, BoundsError, DTypeError, LayoutError, ShapeError
from teeny._core.vocabulary cimport INT, MAX_NDIM, UINT, DType, dtype_t, raise_status

__all__ = ["Extents", "dyn", "layout_left", "layout_right", "layout_stride"]

#: The size of an axis that is known only at run time.
dyn = -1


cdef tuple integers(object values, str what):
    try:
        numbers = tuple([operator.index(value) for value in values])
    except TypeError:
        raise ArgumentError(f"{what}: found {values!r}, expected a sequence of integers") from None
    for number in numbers:
        if not -2**63 <= number < 2**63:
            raise LayoutError(f"{what}: found {number}, expected integers that fit 64 bits")
    return numbers


cdef class Extents:
    """
    The size of each axis: static, or `dyn` and given later.

    Parameters
    ----------
    *pattern : int
        A size, or `dyn`, per axis.

    Raises
    ------
    ShapeError
        If a size is negative, or there are more than 64.

    Examples
    --------
    >>> from teeny import Extents, dyn
    >>> e = Extents(dyn, 3, dyn)(5, 7)
    >>> e
    Extents(dyn, 3, dyn)(5, 7)
    >>> e.rank, e.rank_dynamic, e.static_extent(1), e.extent(0)
    (3, 2, 3, 5)
    >>> e.shape
    (5, 3, 7)
    """

    def __init__(self, *pattern):
        self.pattern = integers(pattern, "Extents")
        if len(self.pattern) > MAX_NDIM:
            raise ShapeError(f"Extents: found {len(self.pattern)} axes, expected at most {MAX_NDIM}")
        if any(size < dyn for size in self.pattern):
            raise ShapeError(f"Extents: found {pattern}, expected sizes of at least 0, or dyn")
        self.sizes = None if dyn in self.pattern else self.pattern

    def __call__(self, *sizes):
        """The same pattern with its dynamic sizes, in order."""
        cdef Extents known = Extents.__new__(Extents)
        cdef tuple numbers = integers(sizes, "Extents")
        if len(numbers) != self.rank_dynamic:
            raise ShapeError(f"Extents: found {len(numbers)} sizes, expected {self.rank_dynamic}, "
                             f"one for each dyn of {self!r}")
        if any(size < 0 for size in numbers):
            raise ShapeError(f"Extents: found {sizes}, expected sizes of at least 0")
        given = iter(numbers)
        known.pattern = self.pattern
        known.sizes = tuple([next(given) if size == dyn else size for size in self.pattern])
        return known

    @property
    def rank(self):
        """Number of axes."""
        return len(self.pattern)

    @property
    def rank_dynamic(self):
        """Number of axes whose size is not static."""
        return self.pattern.count(dyn)

    @property
    def shape(self):
        """The size of every axis; ShapeError while one is missing."""
        if self.sizes is None:
            raise ShapeError(f"Extents: found no sizes for the dynamic axes of {self!r}; call it with them")
        return self.sizes

    def static_extent(self, axis):
        """The static size of an axis, or `dyn`."""
        return self.pattern[self.checked(axis)]

    def extent(self, axis):
        """The size of an axis."""
        return self.shape[self.checked(axis)]

    def checked(self, axis):
        if not 0 <= operator.index(axis) < self.rank:
            raise BoundsError(f"Extents: found axis {axis}, expected 0 to {self.rank - 1}")
        return axis

    def __eq__(self, other):
        if not isinstance(other, Extents):
            return NotImplemented
        return self.pattern == (<Extents> other).pattern and self.sizes == (<Extents> other).sizes

    def __hash__(self):
        return hash((self.pattern, self.sizes))

    def __reduce__(self):
        return remake, (self.pattern, self.sizes)

    def __repr__(self):
        text = f"Extents({', '.join('dyn' if size == dyn else str(size) for size in self.pattern)})"
        if self.rank_dynamic == 0 or self.sizes is None:
            return text
        given = [str(size) for fixed, size in zip(self.pattern, self.sizes) if fixed == dyn]
        return f"{text}({', '.join(given)})"


def remake(pattern, sizes):
    cdef Extents extents = Extents(*pattern)
    extents.sizes = sizes
    return extents


cdef class Mapping:
    """What the three layouts have in common."""

    cdef int allocate(self, int ndim) except -1:
        if self.shape != NULL:
            raise TypeError(f"{type(self).__name__}: a mapping never changes; make another")
        self.shape = <int64_t *> calloc(2 * ndim + 1, sizeof(int64_t))
        if self.shape == NULL:
            raise MemoryError
        self.ndim = ndim
        self.steps = self.shape + ndim
        return 0

    cdef int measure(self, str what) except -1:
        """Size and reach, once shape and strides are there."""
        cdef int64_t span
        raise_status(array_size(self.ndim, self.shape, &self.size), what)
        raise_status(array_reach(self.ndim, self.shape, self.steps, &self.low, &self.high), what)
        return raise_status(reach_span(self.low, self.high, &span), what)

    def __dealloc__(self):
        free(self.shape)

    @property
    def rank(self):
        """Number of axes."""
        return self.ndim

    @property
    def extents(self):
        """The size of each axis."""
        cdef int axis
        if self.known is None:
            sizes = [self.shape[axis] for axis in range(self.ndim)]
            self.known = Extents(*[dyn] * self.ndim)(*sizes)
        return self.known

    @property
    def strides(self):
        """The stride of each axis, in elements."""
        cdef int axis
        return tuple([self.steps[axis] for axis in range(self.ndim)])

    @property
    def reach(self):
        """The lowest and the highest offset of any index; ``(0, -1)`` if there is no index."""
        return self.low, self.high

    def required_span_size(self):
        """How many elements lie from the lowest to the highest that is reached; 0 for an empty array."""
        return self.high - self.low + 1

    def __call__(self, *index):
        """The offset, in elements, of the element at `index`."""
        cdef tuple at = integers(index, type(self).__name__)
        cdef int64_t place[64]
        cdef int axis
        if len(at) != self.ndim:
            raise ShapeError(f"{type(self).__name__}: found {len(at)} indices, expected {self.ndim}")
        for axis in range(self.ndim):
            place[axis] = at[axis]
            if not 0 <= place[axis] < self.shape[axis]:
                raise BoundsError(f"{type(self).__name__}: found index {at[axis]} on axis {axis}, "
                                  f"expected 0 to {self.shape[axis] - 1}")
        return index_offset(self.ndim, place, self.steps)

    def index_fits(self, to):
        """
        Whether every offset that is reached, and every size, fits an integer type.

        Parameters
        ----------
        to : dtype
            int8 to int64, or uint8 to uint64.

        Returns
        -------
        bool

        Examples
        --------
        >>> from teeny import Extents, layout_stride
        >>> layout_stride(Extents(2), (127,)).index_fits("int8"), layout_stride(Extents(2), (128,)).index_fits("int8")
        (True, False)
        >>> layout_stride(Extents(300), (0,)).index_fits("int8")
        False
        """
        cdef dtype_t c = (<DType> DType(to)).c
        if c.lanes != 1 or c.bits > 64 or c.code not in (INT, UINT):
            raise DTypeError(f"index_fits: found {to!r}, expected an integer type")
        cdef uint64_t most = (<uint64_t> -1) >> (64 - c.bits + (c.code == INT))
        cdef int64_t least = -1 - <int64_t> most if c.code == INT else 0
        return index_range_fits(self.ndim, self.shape, self.low, self.high, least, most)


cdef int place(Mapping mapping, object extents) except -1:
    """The sizes of a new mapping, from extents that are complete."""
    cdef str name = type(mapping).__name__
    cdef tuple shape
    cdef int axis
    if not isinstance(extents, Extents):
        raise ArgumentError(f"{name}: extents: found {extents!r}, expected Extents")
    shape = extents.shape
    mapping.allocate(len(shape))
    mapping.known = extents
    for axis in range(mapping.ndim):
        mapping.shape[axis] = shape[axis]
    return 0


cdef class layout_right(Mapping):
    """
    C order: the last axis is contiguous.

    Parameters
    ----------
    extents : Extents
        The size of each axis.

    Raises
    ------
    LayoutError
        If the number of elements does not fit 64 bits.

    Examples
    --------
    >>> from teeny import Extents, layout_right
    >>> m = layout_right(Extents(4, 3, 5))
    >>> m.strides, m(1, 2, 3), m.required_span_size()
    ((15, 5, 1), 28, 60)
    """

    def __init__(self, extents):
        place(self, extents)
        raise_status(strides_right(self.ndim, self.shape, self.steps), "layout_right")
        self.measure("layout_right")

    def __repr__(self):
        return f"layout_right({self.extents})"


cdef class layout_left(Mapping):
    """
    Fortran order: the first axis is contiguous.

    Parameters
    ----------
    extents : Extents
        The size of each axis.

    Raises
    ------
    LayoutError
        If the number of elements does not fit 64 bits.

    Examples
    --------
    >>> from teeny import Extents, layout_left
    >>> layout_left(Extents(4, 3, 5)).strides
    (1, 4, 12)
    """

    def __init__(self, extents):
        place(self, extents)
        raise_status(strides_left(self.ndim, self.shape, self.steps), "layout_left")
        self.measure("layout_left")

    def __repr__(self):
        return f"layout_left({self.extents})"


cdef class layout_stride(Mapping):
    """
    One stride per axis, of any sign.

    Parameters
    ----------
    extents : Extents
        The size of each axis.
    strides : sequence of int
        The stride of each axis, in elements.

    Raises
    ------
    LayoutError
        If there is not one stride per axis, or an offset does not fit 64 bits.

    Examples
    --------
    >>> from teeny import Extents, layout_stride
    >>> m = layout_stride(Extents(4, 3), (-3, 1))
    >>> m(1, 2), m.reach, m.required_span_size()
    (-1, (-9, 2), 12)
    """

    def __init__(self, extents, strides):
        cdef tuple steps = integers(strides, "layout_stride: strides")
        cdef int axis
        place(self, extents)
        if len(steps) != self.ndim:
            raise LayoutError(f"layout_stride: found {len(steps)} strides, expected one for each of {self.ndim} axes")
        for axis in range(self.ndim):
            self.steps[axis] = steps[axis]
        self.measure("layout_stride")

    def __repr__(self):
        return f"layout_stride({self.extents}, {self.strides})"


cdef Mapping make_mapping(int ndim, const int64_t *shape, const int64_t *strides, str what):
    cdef Mapping mapping = layout_stride.__new__(layout_stride)
    cdef int axis
    mapping.allocate(ndim)
    for axis in range(ndim):
        mapping.shape[axis] = shape[axis]
        mapping.steps[axis] = strides[axis]
    mapping.measure(what)
    return mapping
