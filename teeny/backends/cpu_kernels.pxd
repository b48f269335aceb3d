"""The package's own kernels as a backend (see cpu_kernels.pyx)."""

from libc.stdint cimport int64_t

from teeny._core.run cimport leaf_t
from teeny._core.vocabulary cimport anyrank_t
from teeny.ops cimport Operation

# The leaf for cells of this dtype and these sizes (see Operation.leaf_size), or NULL.
cdef leaf_t find_leaf(Operation op, int typenum, int size) noexcept

# Run it; the number of cells that failed. `workers` 0 chooses by size.
cdef int64_t apply_leaf(leaf_t leaf, Operation op, const anyrank_t *operands, int workers) except -1
