"""The boundary: any array as an `AnyRank`.

``at.c`` is the C struct (``teeny/anyrank.h``), valid while `at` lives.
"""

from libc.stdint cimport int64_t

from teeny._core.interchange cimport Loan
from teeny._core.view cimport Strided

cdef class AnyRank(Strided):
    cdef char *store               # of copy_meta: data, ndim, shape[max_rank], strides[max_rank]
    cdef int max_rank
    cdef void flag_alignment(self) noexcept
    cdef int promise(self, object shape, object layout, str what) except -1
    cdef int copy_metadata(self, int room, str what) except -1

# What Python's as_anyrank does when it is given nothing else; `taken` begins its errors with `what`.
cdef AnyRank carry(object x)
cdef AnyRank taken(object x, str what)

# Foreign memory; the loan is still to be taken.
cdef AnyRank carry_loan(Loan loan)

# DeviceError, beginning with `what`, if the memory is in another space.
cdef int check_space(AnyRank at, object space, str what) except -1
