"""What every description of strided memory has in common, and the one of fixed rank."""

from libc.stdint cimport int32_t, int64_t
from numpy cimport ndarray

from teeny._core.layout cimport Mapping
from teeny._core.vocabulary cimport anyrank_t

cdef extern from "teeny/view.h" nogil:
    # Views of rank 2 by value; of other ranks with the macros TEENY_VIEW_FIELDS and TEENY_DEFINE_VIEW_FILL.
    ctypedef struct view_t "teeny_view_t":
        void *data
        int64_t shape[2]
        int64_t strides[2]         # in elements

    ctypedef struct view32_t "teeny_view32_t":
        void *data
        int32_t shape[2]
        int32_t strides[2]

    # All of an array of rank 2 as a view, or a negative status.
    int view_fill "teeny_view_fill"(const anyrank_t *array, view_t *view) noexcept
    int view32_fill "teeny_view32_fill"(const anyrank_t *array, view32_t *view) noexcept

# Names of enum teeny_space, in its order.
cdef tuple SPACES

# Immutable: may be shared between threads. `c` lives as long as the object.
cdef class Strided:
    cdef anyrank_t c
    cdef Mapping mapping           # what c.shape and c.strides point into
    cdef Mapping tail              # what is static of the last axes, for cells; None if that is the mapping's
    cdef readonly object owner     # keeps c.data alive
    cdef int describe(self, const anyrank_t *c, Mapping mapping, object owner) except -1

cdef class View(Strided):
    cdef list axes(self)
    cdef View rearranged(self, list axes, object offset, str what)

# What a description of memory says when it is to be pickled, or copied.
cdef int refuse_pickle(object x) except -1

# A view of `source`'s memory at `data`, through `mapping`.
cdef View make_view(Strided source, Mapping mapping, void *data)

# The same memory as a NumPy array; DeviceError if the host cannot reach it.
cdef ndarray as_ndarray(Strided x, str what)
