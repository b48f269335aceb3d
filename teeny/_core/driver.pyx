"""The batch driver (see driver.pxd for what it promises)."""

from libc.math cimport fabs
from libc.stdint cimport int64_t

from teeny._core import threads
from teeny._core.errors import ArgumentError
from teeny._core.run cimport MAX_OPERANDS, cells_t, leaf_t, run_t
from teeny._core.vocabulary cimport (ERROR_BROADCAST, ERROR_OVERFLOW, ERROR_RANK, MAX_NDIM, anyrank_t,
                                     raise_status)

# A worker is worth waking for this many bytes: about ten times what waking it costs.
cdef int64_t BYTES_PER_WORKER = 1 << 19

# Less than this is done before another thread could take the GIL.
cdef int64_t BYTES_TO_RELEASE = 1 << 13


cdef void order_axes(int ndim, const double *cost, int *order) noexcept nogil:
    cdef int axis, place, k
    for axis in range(ndim):
        place = axis
        k = axis - 1
        while k >= 0:
            if cost[order[k]] != 0 and cost[axis] != 0:
                if cost[order[k]] >= cost[axis]:
                    break
                place = k
            k -= 1
        for k in range(axis, place, -1):
            order[k] = order[k - 1]
        order[place] = axis


cdef int broadcast(plan_t *plan, const anyrank_t *operands, const int *core, int inputs) noexcept nogil:
    """The common batch shape, and every operand's steps along it."""
    cdef const anyrank_t *x
    cdef int k, axis, lead, ndim = 0
    cdef int64_t size
    for k in range(plan.operands):
        lead = operands[k].ndim - core[k]
        if lead < 0 or operands[k].ndim > MAX_NDIM:
            return ERROR_RANK
        ndim = max(ndim, lead)
    plan.ndim = ndim
    for axis in range(ndim):
        plan.shape[axis] = 1
    for k in range(plan.operands):
        x = &operands[k]
        lead = ndim - (x.ndim - core[k])
        for axis in range(ndim):
            size = x.shape[axis - lead] if axis >= lead else 1
            plan.step[k][axis] = x.strides[axis - lead] if size != 1 else 0
            if size == plan.shape[axis]:
                continue
            if k >= inputs or (size != 1 and plan.shape[axis] != 1):
                return ERROR_BROADCAST
            if size != 1:
                plan.shape[axis] = size
    return 0


cdef int count_cells(plan_t *plan) noexcept nogil:
    cdef int axis
    plan.cells = 1
    for axis in range(plan.ndim):
        if plan.shape[axis] == 0:
            plan.cells = 0
            return 0
    for axis in range(plan.ndim):
        if plan.cells > (<int64_t> 1 << 62) // plan.shape[axis]:
            return ERROR_OVERFLOW
        plan.cells *= plan.shape[axis]
    return 0


cdef void reorder(plan_t *plan, int inputs) noexcept nogil:
    """Axes of one cell dropped, the others sorted by how far a step along them goes.

    A step of an output counts twice: its lines travel to the processor and back.
    """
    cdef plan_t old = plan[0]
    cdef double cost[64]
    cdef int order[64]
    cdef int kept[64]
    cdef int axis, k, ndim = 0
    for axis in range(old.ndim):
        if old.shape[axis] != 1:
            kept[ndim] = axis
            cost[ndim] = 0
            for k in range(old.operands):
                cost[ndim] += fabs(<double> old.step[k][axis]) * old.itemsize[k] * (1 if k < inputs else 2)
            ndim += 1
    order_axes(ndim, cost, order)
    plan.ndim = ndim
    for axis in range(ndim):
        plan.shape[axis] = old.shape[kept[order[axis]]]
        for k in range(old.operands):
            plan.step[k][axis] = old.step[k][kept[order[axis]]]


cdef void merge(plan_t *plan) noexcept nogil:
    """Neighbouring axes that are one progression in every operand become one axis."""
    cdef int axis, k, last = 0
    cdef bint one
    for axis in range(1, plan.ndim):
        one = True
        for k in range(plan.operands):
            one = one and plan.step[k][last] == plan.step[k][axis] * plan.shape[axis]
        if not one:
            last += 1
        plan.shape[last] = plan.shape[axis] * (plan.shape[last] if one else 1)
        for k in range(plan.operands):
            plan.step[k][last] = plan.step[k][axis]
    if plan.ndim == 0:
        plan.shape[0] = 1
        for k in range(plan.operands):
            plan.step[k][0] = 0
    plan.ndim = last + 1


cdef int plan_batch(plan_t *plan, leaf_t leaf, void *context, const anyrank_t *operands, const int *core,
                    int inputs, int outputs) noexcept nogil:
    cdef int k, axis, lead, status
    cdef double bytes
    cdef cells_t *cells
    plan.leaf = leaf
    plan.run.context = context
    plan.operands = inputs + outputs
    if plan.operands > MAX_OPERANDS:
        return ERROR_RANK
    status = broadcast(plan, operands, core, inputs)
    if status == 0:
        status = count_cells(plan)
    if status != 0 or plan.cells == 0:
        return status
    plan.bytes = 0
    for k in range(plan.operands):
        plan.itemsize[k] = operands[k].dtype.bits * operands[k].dtype.lanes // 8
        lead = operands[k].ndim - core[k]
        cells = &plan.run.op[k]
        cells.data = operands[k].data
        cells.shape = operands[k].shape + lead
        cells.strides = operands[k].strides + lead
        bytes = plan.itemsize[k]
        for axis in range(core[k]):
            bytes *= cells.shape[axis]
        plan.bytes += bytes
    plan.bytes *= plan.cells
    if plan.ndim > 1:
        reorder(plan, inputs)
    merge(plan)
    for k in range(plan.operands):
        plan.run.op[k].step = plan.step[k][plan.ndim - 1]
    return 0


# Up to so many elements an axis is short, and a cell still small.
cdef int64_t SHORT_AXIS = 32
cdef int64_t SHORT_CELL = 64


cdef void absorb(plan_t *plan) noexcept nogil:
    """Short innermost axes become those of a cell."""
    cdef int k, axis, inner
    cdef int64_t size = 1
    for axis in range(1, -1, -1):
        inner = plan.ndim - 1
        plan.cell_shape[axis] = 1
        if inner > 0 and plan.shape[inner] <= SHORT_AXIS and size * plan.shape[inner] <= SHORT_CELL:
            plan.cell_shape[axis] = plan.shape[inner]
            plan.ndim = inner
        for k in range(plan.operands):
            plan.cell_strides[k][axis] = plan.step[k][inner] if plan.ndim == inner else 0
        size *= plan.cell_shape[axis]
    plan.cells //= size
    for k in range(plan.operands):
        plan.run.op[k].shape = plan.cell_shape
        plan.run.op[k].strides = plan.cell_strides[k]
        plan.run.op[k].step = plan.step[k][plan.ndim - 1]


cdef int plan_elements(plan_t *plan, leaf_t leaf, void *context, const anyrank_t *operands,
                       int inputs, int outputs) noexcept nogil:
    cdef int core[8]
    cdef int k, status
    for k in range(8):
        core[k] = 0
    status = plan_batch(plan, leaf, context, operands, core, inputs, outputs)
    if status == 0 and plan.cells != 0:
        absorb(plan)
    return status


cdef int64_t run_cells(const plan_t *plan, int64_t lo, int64_t hi) noexcept nogil:
    cdef run_t run = plan.run
    cdef int64_t index[64]
    cdef int64_t rest = lo, offset, result = 0
    cdef int axis, k, inner = plan.ndim - 1
    for axis in range(inner, -1, -1):
        index[axis] = rest % plan.shape[axis]
        rest //= plan.shape[axis]
    while lo < hi:
        for k in range(plan.operands):
            offset = 0
            for axis in range(plan.ndim):
                offset += index[axis] * plan.step[k][axis]
            run.op[k].data = <char *> plan.run.op[k].data + offset * plan.itemsize[k]
        run.n = min(plan.shape[inner] - index[inner], hi - lo)
        result += plan.leaf(&run)
        lo += run.n
        index[inner] += run.n
        for axis in range(inner, 0, -1):
            if index[axis] < plan.shape[axis]:
                break
            index[axis] = 0
            index[axis - 1] += 1
    return result


cdef class Chunks:
    """A plan cut into equal parts, for the thread pool."""

    cdef plan_t plan
    cdef int64_t parts

    def run(self, int64_t part):
        cdef int64_t result, each = self.plan.cells // self.parts, more = self.plan.cells % self.parts
        cdef int64_t lo = part * each + min(part, more)
        with nogil:
            result = run_cells(&self.plan, lo, lo + each + (1 if part < more else 0))
        return result


cdef int64_t run_plan(const plan_t *plan, int workers) except -1:
    cdef int64_t result, parts
    cdef Chunks chunks
    if workers < 0:
        raise ArgumentError(f"workers must be 0 (as many as the work is worth) or more, not {workers}")
    if plan.cells == 0:
        return 0
    parts = workers
    if workers == 0:
        parts = 1
        if plan.bytes >= 2 * BYTES_PER_WORKER:
            parts = <int64_t> min(plan.bytes / BYTES_PER_WORKER, <double> threads.get_num_threads())
    parts = min(parts, plan.cells)
    if parts == 1 and plan.bytes < BYTES_TO_RELEASE:
        return run_cells(plan, 0, plan.cells)
    if parts == 1:
        with nogil:
            result = run_cells(plan, 0, plan.cells)
        return result
    chunks = Chunks()
    chunks.plan = plan[0]
    chunks.parts = parts
    return threads.run_all(chunks.run, parts)


cdef int64_t batch_apply(leaf_t leaf, void *context, const anyrank_t *operands, const int *core,
                         int inputs, int outputs, int workers) except -1:
    cdef plan_t plan
    raise_status(plan_batch(&plan, leaf, context, operands, core, inputs, outputs), "batch_apply")
    return run_plan(&plan, workers)
