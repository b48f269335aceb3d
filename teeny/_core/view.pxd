"""What every description of strided memory has in common, and the one of fixed rank."""

from numpy cimport ndarray

from teeny._core.layout cimport Mapping
from teeny._core.vocabulary cimport anyrank_t

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

# A view of `source`'s memory at `data`, through `mapping`.
cdef View make_view(Strided source, Mapping mapping, void *data)

# The same memory as a NumPy array; DeviceError if the host cannot reach it.
cdef ndarray as_ndarray(Strided x, str what)
