"""DLPack for people; what it does stands in `interchange`."""

from teeny._core.carrier cimport AnyRank
from teeny._core.interchange cimport Loan, dltensor_t

cdef class DLTensor:
    cdef dltensor_t tensor
    cdef AnyRank at                # what the struct points into

# What from_dlpack takes, described and checked, and still to be taken; errors begin with `function`.
cdef Loan borrow(object m, object stream, object copy, str function)
