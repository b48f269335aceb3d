"""How leaves read and write the cells of a run: bundles in, bundles out, status.

A leaf describes each operand once with `matrices`, `vectors` or `scalars`, then
goes through the run a bundle at a time: `count` cells from `start`, gathered into
lanes, scattered from them. Where the number of cells is LANES, the operand is
declared `packed` or `ordered` as DENSE or SIDE, and the sizes are constants, that
happens in registers; else through memory.
"""

from libc.stdint cimport int32_t, int64_t

from teeny._core.dispatch cimport real
from teeny._core.lanes cimport (DENSE, LANES, PACKED, cell_order, gather_f32, gather_f64, lane_mask_t, lanes_t,
                                mask_any, mask_lane, mask_or, scatter_f32, scatter_f64)
from teeny._core.run cimport CELL_FAILED, CELL_UNDEFINED, cells_t


cdef struct matrices_t:
    # one operand of a run; the size of its cells is known to the leaf
    char *data
    int64_t step, row_stride, col_stride
    int order


cdef inline matrices_t matrices(const cells_t *cells, int rows, int cols) noexcept nogil:
    cdef matrices_t m
    m.data = <char *> cells.data
    m.step = cells.step
    m.row_stride = cells.strides[0]
    m.col_stride = cells.strides[1]
    m.order = cell_order(rows, cols, m.row_stride, m.col_stride, m.step)
    return m


cdef inline matrices_t vectors(const cells_t *cells, int size) noexcept nogil:
    """As matrices of one column."""
    cdef matrices_t m
    m.data = <char *> cells.data
    m.step = cells.step
    m.row_stride = cells.strides[0]
    m.col_stride = 1
    m.order = cell_order(size, 1, m.row_stride, 1, m.step)
    return m


cdef inline matrices_t scalars(const cells_t *cells) noexcept nogil:
    """As matrices of one element."""
    cdef matrices_t m
    m.data = <char *> cells.data
    m.step = cells.step
    m.row_stride = m.col_stride = 1
    m.order = cell_order(1, 1, 1, 1, m.step)
    return m


cdef inline int count(int64_t start, int64_t n) noexcept nogil:
    """Cells in the bundle at `start` of a run of `n`."""
    return LANES if n - start >= LANES else <int> (n - start)


cdef inline int64_t whole_bundles(int64_t n) noexcept nogil:
    """The cells of a run of `n` that fill bundles."""
    return n - n % LANES


cdef inline bint dense(matrices_t a) noexcept nogil:
    return a.order == DENSE or a.order == PACKED


cdef inline matrices_t packed(matrices_t a, int size) noexcept nogil:
    """The same operand, known to be cells of `size` elements without gaps."""
    a.order = DENSE
    a.step = size
    return a


cdef inline matrices_t ordered(matrices_t a, int order) noexcept nogil:
    """The same operand, known to be in this order."""
    a.order = order
    return a


cdef inline void gather(matrices_t a, int64_t start, int m, int rows, int cols, lanes_t *x, real *_) noexcept nogil:
    """Elements of m cells into x, row by row."""
    cdef real *p = <real *> a.data + start * a.step
    if real is float:
        gather_f32(p, a.step, m, a.order, rows, cols, a.row_stride, a.col_stride, x)
    else:
        gather_f64(p, a.step, m, a.order, rows, cols, a.row_stride, a.col_stride, x)


cdef inline void scatter(matrices_t a, int64_t start, int m, int rows, int cols, const lanes_t *x, real *_) noexcept nogil:
    cdef real *p = <real *> a.data + start * a.step
    if real is float:
        scatter_f32(p, a.step, m, a.order, rows, cols, a.row_stride, a.col_stride, x)
    else:
        scatter_f64(p, a.step, m, a.order, rows, cols, a.row_stride, a.col_stride, x)


cdef inline int64_t report(const cells_t *info, int64_t start, int m, lane_mask_t failed,
                           lane_mask_t undefined) noexcept nogil:
    """Write the status of the failed and of the undefined cells of a bundle; how many failed."""
    cdef int64_t failures = 0
    cdef int k
    if not mask_any(mask_or(failed, undefined)):
        return 0
    for k in range(m):
        if mask_lane(failed, k):
            (<int32_t *> info.data)[(start + k) * info.step] = CELL_FAILED
            failures += 1
        elif mask_lane(undefined, k):
            (<int32_t *> info.data)[(start + k) * info.step] = CELL_UNDEFINED
    return failures
