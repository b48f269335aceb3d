"""Extents and mappings; the arithmetic stands in ``teeny/layout.h``."""

from libc.stdint cimport int64_t, uint64_t

from teeny._core.vocabulary cimport dtype_t

cdef extern from "teeny/layout.h" nogil:
    # Each writes its last arguments and returns a status.
    int array_size "teeny_size"(int ndim, const int64_t *shape, int64_t *size) noexcept
    int strides_right "teeny_strides_right"(int ndim, const int64_t *shape, int64_t *strides) noexcept
    int strides_left "teeny_strides_left"(int ndim, const int64_t *shape, int64_t *strides) noexcept
    int array_reach "teeny_reach"(int ndim, const int64_t *shape, const int64_t *strides,
                                  int64_t *low, int64_t *high) noexcept
    int array_reach_unsigned "teeny_reach_unsigned"(int ndim, const int64_t *shape, const int64_t *strides,
                                                    int64_t *low, int64_t *high) noexcept
    int reach_span "teeny_span"(int64_t low, int64_t high, int64_t *span) noexcept

    int64_t index_offset "teeny_offset"(int ndim, const int64_t *index, const int64_t *strides) noexcept
    bint index_range_fits "teeny_index_fits"(int ndim, const int64_t *shape, int64_t low, int64_t high,
                                             int64_t least, uint64_t most) noexcept
    bint is_right "teeny_is_right"(int ndim, const int64_t *shape, const int64_t *strides) noexcept
    bint is_left "teeny_is_left"(int ndim, const int64_t *shape, const int64_t *strides) noexcept
    bint is_dense "teeny_is_dense"(int ndim, const int64_t *shape, const int64_t *strides) noexcept

cdef class Extents:
    cdef readonly tuple pattern    # sizes; -1 where dynamic
    cdef tuple sizes               # None until every size is known

cdef class Mapping:
    cdef int ndim
    cdef int64_t *shape
    cdef int64_t *steps            # strides, in elements; of an unsigned index type, the bits of a uint64_t
    cdef dtype_t index             # the type that shape and strides are said to be stored in
    cdef int64_t size, low, high   # elements; lowest and highest offset
    cdef Extents known             # made when first asked for
    cdef tuple fixed               # of a layout_stride: static strides, -1 where dynamic; None if there are none
    cdef int allocate(self, int ndim) except -1
    cdef int measure(self, str what) except -1
    cdef bint fits(self, dtype_t to) noexcept
    cdef tuple static_strides(self)

cdef class layout_right(Mapping):
    pass

cdef class layout_left(Mapping):
    pass

cdef class layout_stride(Mapping):
    pass

# A `layout_stride` over copies of `shape` and `strides`; LayoutError, beginning with `what`, on overflow.
cdef Mapping make_mapping(int ndim, const int64_t *shape, const int64_t *strides, str what)

# A mapping of one of the three layouts, with an index type. `strides` and `fixed` are those of a layout_stride.
cdef Mapping derive(type layout, dtype_t index, Extents extents, tuple strides, tuple fixed, str what)

# The same mapping in another index type; LayoutError if it does not fit.
cdef Mapping narrowed(Mapping mapping, object to, str what)

cdef Extents make_extents(tuple pattern, tuple sizes)

# Strides of C and of Fortran order, dynamic where a size that they depend on is.
cdef tuple ordered_right(tuple pattern)
cdef tuple ordered_left(tuple pattern)

# `values` as a tuple of plain integers, or an error that begins with `what`.
cdef tuple integers(object values, str what, bint unsigned=*)

# What Python integers are stored as, and what an array of strides is.
cdef dtype_t INT64
cdef dtype_t index_type_of(object strides)
