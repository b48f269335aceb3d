"""Extents and mappings; the arithmetic stands in ``teeny/layout.h``."""

from libc.stdint cimport int64_t, uint64_t

cdef extern from "teeny/layout.h" nogil:
    # Each writes its last arguments and returns a status.
    int array_size "teeny_size"(int ndim, const int64_t *shape, int64_t *size) noexcept
    int strides_right "teeny_strides_right"(int ndim, const int64_t *shape, int64_t *strides) noexcept
    int strides_left "teeny_strides_left"(int ndim, const int64_t *shape, int64_t *strides) noexcept
    int array_reach "teeny_reach"(int ndim, const int64_t *shape, const int64_t *strides,
                                  int64_t *low, int64_t *high) noexcept
    int reach_span "teeny_span"(int64_t low, int64_t high, int64_t *span) noexcept

    int64_t index_offset "teeny_offset"(int ndim, const int64_t *index, const int64_t *strides) noexcept
    bint index_range_fits "teeny_index_fits"(int ndim, const int64_t *shape, int64_t low, int64_t high,
                                             int64_t least, uint64_t most) noexcept

cdef class Extents:
    cdef readonly tuple pattern    # sizes; -1 where dynamic
    cdef tuple sizes               # None until every size is known

cdef class Mapping:
    cdef int ndim
    cdef int64_t *shape
    cdef int64_t *steps            # strides, in elements
    cdef int64_t size, low, high   # elements; lowest and highest offset
    cdef Extents known             # made when first asked for
    cdef int allocate(self, int ndim) except -1
    cdef int measure(self, str what) except -1

# A `layout_stride` over copies of `shape` and `strides`; LayoutError, beginning with `what`, on overflow.
cdef Mapping make_mapping(int ndim, const int64_t *shape, const int64_t *strides, str what)

# `values` as a tuple of plain integers, or an error that begins with `what`.
cdef tuple integers(object values, str what)
