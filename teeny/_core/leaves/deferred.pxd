"""Cells that no closed form is trusted with, put aside until there is a bundle of them.

A rare cell is not so rare in a bundle: one random 4 x 4 matrix in 27 fails its
test, but one bundle of eight in four holds such a cell, and would be done again. What a lane does depends on that lane alone, so its bits do not depend on
the company in which it is done again. The cells are copied: the output may be the
very array the input is.
"""

from libc.stdint cimport int32_t, int64_t

from teeny._core.dispatch cimport real
from teeny._core.lanes cimport LANES, lane_mask_t, lanes_load, lanes_store, lanes_t, mask_lane
from teeny._core.leaves.cells cimport matrices_t
from teeny._core.run cimport CELL_FAILED, CELL_UNDEFINED, cells_t


cdef struct deferred_t:
    double a[16 * 8]      # element by element, LANES of each
    double b[4 * 8]
    int64_t cell[8]       # which of the run
    int count


cdef inline void put_aside(deferred_t *d, int64_t cell, const lanes_t *a, int a_size, const lanes_t *b, int b_size,
                           int lane) noexcept nogil:
    cdef double x[8]
    cdef int e
    for e in range(a_size):
        lanes_store(x, a[e])
        d.a[e * LANES + d.count] = x[lane]
    for e in range(b_size):
        lanes_store(x, b[e])
        d.b[e * LANES + d.count] = x[lane]
    d.cell[d.count] = cell
    d.count += 1


cdef inline void take_up(const double *kept, int count, int size, lanes_t *x) noexcept nogil:
    """What was put aside, as a bundle; lanes beyond `count` repeat the first."""
    cdef double row[8]
    cdef int e, k
    for e in range(size):
        for k in range(LANES):
            row[k] = kept[e * LANES + (k if k < count else 0)]
        x[e] = lanes_load(row)


cdef inline void put_back(const deferred_t *d, matrices_t x, int rows, int cols, const lanes_t *y, real *_) noexcept nogil:
    cdef double row[8]
    cdef real *p = <real *> x.data
    cdef int i, j, k
    for i in range(rows):
        for j in range(cols):
            lanes_store(row, y[i * cols + j])
            for k in range(d.count):
                p[d.cell[k] * x.step + i * x.row_stride + j * x.col_stride] = <real> row[k]


cdef inline int64_t report_deferred(deferred_t *d, const cells_t *info, lane_mask_t failed,
                                    lane_mask_t undefined) noexcept nogil:
    """Their status, after which nothing is aside."""
    cdef int64_t failures = 0
    cdef int k
    for k in range(d.count):
        if mask_lane(failed, k):
            (<int32_t *> info.data)[d.cell[k] * info.step] = CELL_FAILED
            failures += 1
        elif mask_lane(undefined, k):
            (<int32_t *> info.data)[d.cell[k] * info.step] = CELL_UNDEFINED
    d.count = 0
    return failures
