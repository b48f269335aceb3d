"""The batch driver: from operands of any rank to long runs of cells.

All operands' batch axes (everything before the last ``core[k]`` axes) are
broadcast together, reordered so that the innermost is nearest to unit stride,
merged where they are one progression, and walked by one or several threads.
The driver knows nothing of what a leaf computes.
"""

from libc.stdint cimport int64_t

from teeny._core.run cimport leaf_t, run_t
from teeny._core.vocabulary cimport anyrank_t

cdef struct plan_t:
    leaf_t leaf
    run_t run                  # the whole batch from its first cell, in the plan's order
    int operands
    int ndim
    int64_t cells
    double bytes               # that one pass over the operands moves
    int64_t shape[64]
    int64_t step[8][64]        # in elements
    int64_t itemsize[8]
    int64_t cell_shape[2]      # of what plan_elements made a cell
    int64_t cell_strides[8][2]

# Fills `plan`; a negative status is a refusal. Inputs come first, then outputs.
cdef int plan_batch(plan_t *plan, leaf_t leaf, void *context, const anyrank_t *operands, const int *core,
                    int inputs, int outputs) noexcept nogil

# The same for operands whose every axis is a batch axis. Runs of a few elements would cost more than the elements: short
# innermost axes become the two axes of a cell (of size 1 where there is none), and the next axis is the run.
cdef int plan_elements(plan_t *plan, leaf_t leaf, void *context, const anyrank_t *operands,
                       int inputs, int outputs) noexcept nogil

# Cells lo .. hi of the plan, on this thread; the sum of what the leaf returned.
cdef int64_t run_cells(const plan_t *plan, int64_t lo, int64_t hi) noexcept nogil

# The whole plan, with the GIL held; workers 0 chooses by size. Same sum.
cdef int64_t run_plan(const plan_t *plan, int workers) except -1

# Plan and run: the entry for other packages. `core[k]` trailing axes of operand k belong to its cell;
# an output must have the full batch shape. Hold the GIL, and keep the operands' owners alive.
cdef int64_t batch_apply(leaf_t leaf, void *context, const anyrank_t *operands, const int *core,
                         int inputs, int outputs, int workers) except -1

# The order of axes, outermost first, in which memory is walked most evenly: by falling cost (stride),
# axes of cost 0 staying where they are.
cdef void order_axes(int ndim, const double *cost, int *order) noexcept nogil
