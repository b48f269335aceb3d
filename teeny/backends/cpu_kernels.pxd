"""The package's own kernels: finding the leaf, and running it."""

from libc.stdint cimport int64_t

from teeny._core.run cimport leaf_t
from teeny._core.vocabulary cimport anyrank_t
from teeny.ops cimport Operation

# NULL where there is none for this dtype (a NumPy type number) and size.
cdef leaf_t find_leaf(Operation op, int typenum, int64_t size) noexcept

# The number of failed cells. Operands are described, inputs before outputs.
cdef int64_t apply_leaf(leaf_t leaf, Operation op, const anyrank_t *operands, int workers) except -1
