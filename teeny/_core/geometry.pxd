"""Static geometry: promises about sizes and strides, checked once and kept in the mapping."""

from teeny._core.layout cimport Mapping

cdef class LayoutTag:
    cdef readonly str name
    cdef readonly tuple steps      # of strides(...); None for the others

cdef class anyshape:
    cdef readonly tuple head, tail

# `mapping` with the sizes that `tag`, Extents, and the strides that `layout` promise; errors begin with `what`.
cdef Mapping recast(Mapping mapping, object tag, object layout, str what)

# For a carrier: the mapping of all its axes, and of those of the tail alone.
cdef tuple promised(Mapping mapping, object tag, object layout, str what)

# The last `keep` axes; static of them is what `tail`, the axes anchored at the end, says.
cdef Mapping trailing(Mapping mapping, int keep, Mapping tail, str what)
