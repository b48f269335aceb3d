"""Extents and the three mappings from an index to the offset of an element.

A mapping never changes, so that any number of views share one.
"""

from cpython.number cimport PyNumber_Index
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport calloc, free

import numpy as np

from teeny._core.errors import ArgumentError, BoundsError, DTypeError, LayoutError, ShapeError
from teeny._core.vocabulary cimport (INT, MAX_NDIM, UINT, as_dtype, dtype_t, integer, make_dtype,
                                     raise_status)

__all__ = ["Extents", "dyn", "layout_left", "layout_right", "layout_stride"]

#: The size of an axis that is known only at run time.
dyn = -1


INT64.code, INT64.bits, INT64.lanes = INT, 64, 1


cdef tuple integers(object values, str what, bint unsigned=False):
    try:
        numbers = tuple([PyNumber_Index(value) for value in values])
    except Exception as error:
        raise ArgumentError(f"{what}: found {values!r}, expected a sequence of integers") from error
    least, most = (0, 2**64) if unsigned else (-2**63, 2**63)
    for number in numbers:
        if not least <= number < most:
            raise LayoutError(f"{what}: found {number}, expected integers that fit 64 bits")
    return numbers


cdef dtype_t index_type_of(object strides):
    cdef dtype_t index = INT64
    if isinstance(strides, np.ndarray) and strides.dtype == np.uint64:
        index.code = UINT
    return index


cdef dtype_t integer_type(object to, str what) except *:
    cdef dtype_t c = as_dtype(to, what).c
    if c.lanes != 1 or c.bits not in (8, 16, 32, 64) or c.code not in (INT, UINT):
        raise DTypeError(f"{what}: found {to!r}, expected an integer type")
    return c


cdef tuple ordered_right(tuple pattern):
    cdef list strides = []
    step = 1
    for size in reversed(pattern):
        strides.append(step)
        step = dyn if dyn in (step, size) else step * max(size, 1)
    return tuple(reversed(strides))


cdef tuple ordered_left(tuple pattern):
    return ordered_right(pattern[::-1])[::-1]


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

    def __cinit__(self, *pattern):
        self.pattern = integers(pattern, "Extents")
        if len(self.pattern) > MAX_NDIM:
            raise ShapeError(f"Extents: found {len(self.pattern)} axes, expected at most {MAX_NDIM}")
        if any(size < dyn for size in self.pattern):
            raise ShapeError(f"Extents: found {pattern}, expected sizes of at least 0, or dyn")
        self.sizes = None if dyn in self.pattern else self.pattern

    def __call__(self, *sizes):
        """The same pattern with its dynamic sizes, in order."""
        cdef tuple numbers = integers(sizes, "Extents")
        if len(numbers) != self.rank_dynamic:
            raise ShapeError(f"Extents: found {len(numbers)} sizes, expected {self.rank_dynamic}, "
                             f"one for each dyn of {self!r}")
        if any(size < 0 for size in numbers):
            raise ShapeError(f"Extents: found {sizes}, expected sizes of at least 0")
        given = iter(numbers)
        return make_extents(self.pattern, tuple([next(given) if size == dyn else size for size in self.pattern]))

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
        number = integer(axis, "Extents", ": axis")
        if not 0 <= number < self.rank:
            raise BoundsError(f"Extents: found axis {number}, expected 0 to {self.rank - 1}")
        return number

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


cdef Extents make_extents(tuple pattern, tuple sizes):
    cdef Extents extents = Extents.__new__(Extents)
    extents.pattern = pattern
    extents.sizes = sizes
    return extents


def remake(pattern, sizes):
    return make_extents((<Extents> Extents(*pattern)).pattern, sizes)


cdef class Mapping:
    """What the three layouts have in common."""

    def __cinit__(self):
        self.index = INT64

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
        if self.index.code == UINT:
            return raise_status(array_reach_unsigned(self.ndim, self.shape, self.steps, &self.low, &self.high), what)
        raise_status(array_reach(self.ndim, self.shape, self.steps, &self.low, &self.high), what)
        return raise_status(reach_span(self.low, self.high, &span), what)

    cdef bint fits(self, dtype_t to) noexcept:
        cdef uint64_t most = (<uint64_t> -1) >> (64 - to.bits + (to.code == INT))
        cdef int64_t least = -1 - <int64_t> most if to.code == INT else 0
        return index_range_fits(self.ndim, self.shape, self.low, self.high, least, most)

    cdef tuple static_strides(self):
        """Per axis the static stride, or `dyn`."""
        if isinstance(self, layout_right):
            return ordered_right((<Extents> self.extents).pattern)
        if isinstance(self, layout_left):
            return ordered_left((<Extents> self.extents).pattern)
        return (dyn,) * self.ndim if self.fixed is None else self.fixed

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
        if self.index.code == UINT:
            return tuple([<uint64_t> self.steps[axis] for axis in range(self.ndim)])
        return tuple([self.steps[axis] for axis in range(self.ndim)])

    def static_stride(self, axis):
        """
        The static stride of an axis, or `dyn`.

        Of C order it is static where all later sizes are, of Fortran order where all earlier ones
        are. A stride of -1 counts as dynamic.

        Examples
        --------
        >>> from teeny import Extents, dyn, layout_right
        >>> m = layout_right(Extents(dyn, 3, 3)(5))
        >>> m.static_stride(0), m.extents.static_extent(0) == dyn
        (9, True)
        """
        number = integer(axis, "static_stride", ": axis")
        if not 0 <= number < self.ndim:
            raise BoundsError(f"static_stride: found axis {number}, expected 0 to {self.ndim - 1}")
        return self.static_strides()[number]

    @property
    def index_dtype(self):
        """The type in which sizes and strides are stored."""
        return make_dtype(self.index).numpy

    @property
    def reach(self):
        """The lowest and the highest offset of any index; ``(0, -1)`` if there is no index."""
        if self.index.code == UINT and self.size > 0:
            return 0, <uint64_t> self.high
        return self.low, self.high

    def required_span_size(self):
        """How many elements lie from the lowest to the highest that is reached; 0 for an empty array."""
        low, high = self.reach
        return high - low + 1

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
        Whether every offset that is reached, and every size, fits the integer type `to`.

        Examples
        --------
        >>> from teeny import Extents, layout_stride
        >>> layout_stride(Extents(2), (127,)).index_fits("int8"), layout_stride(Extents(2), (128,)).index_fits("int8")
        (True, False)
        >>> layout_stride(Extents(300), (0,)).index_fits("int8")
        False
        """
        return self.fits(integer_type(to, "index_fits"))

    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return self.__reduce__() == other.__reduce__()

    def __hash__(self):
        return hash(self.__reduce__())

    def __reduce__(self):
        strides = self.strides if isinstance(self, layout_stride) else None
        return remap, (type(self), make_dtype(self.index), self.extents, strides, self.fixed)


def remap(layout, index, extents, strides, fixed):
    return derive(layout, integer_type(index, "remap"), extents, strides, fixed, "remap")


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


cdef int set_strides(Mapping mapping, tuple strides) except -1:
    cdef int axis
    for axis in range(mapping.ndim):
        if mapping.index.code == UINT:
            mapping.steps[axis] = <int64_t> <uint64_t> strides[axis]
        else:
            mapping.steps[axis] = strides[axis]
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
        The stride of each axis, in elements. In a NumPy array of uint64 they may exceed 2**63.

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
        cdef dtype_t index = index_type_of(strides)
        cdef tuple steps = integers(strides, "layout_stride: strides", index.code == UINT)
        place(self, extents)
        self.index = index
        if len(steps) != self.ndim:
            raise LayoutError(f"layout_stride: found {len(steps)} strides, expected one for each of {self.ndim} axes")
        set_strides(self, steps)
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


cdef Mapping derive(type layout, dtype_t index, Extents extents, tuple strides, tuple fixed, str what):
    cdef Mapping mapping = layout.__new__(layout)
    place(mapping, extents)
    if layout is layout_right:
        raise_status(strides_right(mapping.ndim, mapping.shape, mapping.steps), what)
    elif layout is layout_left:
        raise_status(strides_left(mapping.ndim, mapping.shape, mapping.steps), what)
    else:
        mapping.index.code = index.code
        if index.code == UINT and min(strides, default=0) < 0:
            raise LayoutError(f"{what}: found strides {strides}, expected none below 0 for {make_dtype(index)}")
        set_strides(mapping, integers(strides, what, index.code == UINT))
        mapping.fixed = fixed
    mapping.index = index
    mapping.measure(what)
    if not mapping.fits(index):
        raise LayoutError(f"{what}: found sizes {mapping.extents.shape} and offsets {mapping.reach}, "
                          f"expected them to fit {make_dtype(index)}")
    return mapping


cdef Mapping narrowed(Mapping mapping, object to, str what):
    cdef dtype_t index = integer_type(to, what)
    cdef tuple strides = mapping.strides, fixed = mapping.fixed
    limits = np.iinfo(make_dtype(index).numpy)
    if not mapping.fits(index):
        raise LayoutError(f"{what}: found sizes {mapping.extents.shape} and offsets {mapping.reach}, "
                          f"expected them to fit {limits.dtype}")
    # what fits by offset may still have strides that do not, on axes where no stride is ever seen
    seen = tuple([limits.min <= stride <= limits.max for stride in strides])
    strides = tuple([stride if fits else 0 for stride, fits in zip(strides, seen)])
    if fixed is not None:
        fixed = tuple([stride if fits else 0 for stride, fits in zip(fixed, seen)])
    return derive(type(mapping), index, mapping.extents, strides, fixed, what)
