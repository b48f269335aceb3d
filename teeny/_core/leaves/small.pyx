"""Leaves for small square matrices: inverse, determinant, linear systems.

Storage is float32 or float64; arithmetic is float64, rounded once. Each leaf
takes a bundle of cells at a time and is instantiated once per (storage, size):

    family   storage          sizes       leaves
    inv      float32 float64  1 ... 8     16
    det      float32 float64  1 ... 8     16
    solve    float32 float64  1 ... 8     16
                                          48 in all

This module is compiled once per instruction set; `table` is all it exports.
"""

from libc.math cimport NAN, frexp, ldexp
from libc.stdint cimport int32_t, int64_t

from cpython.pycapsule cimport PyCapsule_New

from teeny._core.dispatch cimport Int1, Int2, Int3, Int4, Int5, Int6, Int7, Int8, real, static_int
from teeny._core.lanes cimport (LANES, cell_order, gather_f32, gather_f64, lane_mask_t, lanes_eq, lanes_fill,
                                lanes_get, lanes_gt, lanes_load, lanes_max, lanes_round, lanes_select, lanes_t,
                                mask_and, mask_any, mask_lane, mask_none, mask_not, scatter_f32, scatter_f64)
from teeny._core.leaves.closed cimport det2, expand3, expand4, inv2, inv3, inv4
from teeny._core.leaves.pivoted cimport determinant, exchange_sign, factorise, invert, permute, substitute
from teeny._core.leaves.table cimport SMALL_TABLE, small_table_t
from teeny._core.run cimport cells_t, leaf_t, run_t
from teeny._core.vocabulary cimport SINGULAR


cdef struct matrices_t:
    # one operand of a run; the size of its cells is a constant of each leaf
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


cdef inline matrices_t scalars(const cells_t *cells) noexcept nogil:
    cdef matrices_t m
    m.data = <char *> cells.data
    m.step = cells.step
    m.row_stride = m.col_stride = 1
    m.order = cell_order(1, 1, 1, 1, m.step)
    return m


cdef inline void gather(matrices_t a, int64_t start, int m, int rows, int cols, lanes_t *x, real *_) noexcept nogil:
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


cdef inline int count(int64_t start, int64_t n) noexcept nogil:
    return LANES if n - start >= LANES else <int> (n - start)


cdef int64_t report(const cells_t *info, int64_t start, int m, lane_mask_t failed) noexcept nogil:
    """Write the status of the failed cells of a bundle; how many there are."""
    cdef int64_t failures = 0
    cdef int k
    for k in range(m):
        if mask_lane(failed, k):
            (<int32_t *> info.data)[(start + k) * info.step] = SINGULAR
            failures += 1
    return failures


# ---------------------------------------------------------------- inverse


cdef inline lane_mask_t inv_pivoted(const lanes_t *a, int n, lane_mask_t keep, lanes_t *x) noexcept nogil:
    """x by elimination, but for the lanes in `keep`; NaN in the singular lanes it returns."""
    cdef lanes_t lu[64]
    cdef lanes_t y[64]
    cdef lane_mask_t exchanged[64]
    cdef lane_mask_t singular
    cdef int e
    for e in range(n * n):
        lu[e] = a[e]
    singular = mask_and(factorise(lu, n, exchanged), mask_not(keep))
    invert(lu, n, exchanged, y)
    for e in range(n * n):
        x[e] = lanes_select(keep, x[e], lanes_select(singular, lanes_fill(NAN), y[e]))
    return singular


cdef lane_mask_t inv_rest(const lanes_t *a, lane_mask_t keep, lanes_t *x, static_int *_) noexcept nogil:
    return inv_pivoted(a, sizeof(static_int), keep, x)


cdef inline lane_mask_t inv_bundle(const lanes_t *a, lanes_t *x, real *t, static_int *c) noexcept nogil:
    """The inverse of each lane; the singular lanes."""
    cdef lane_mask_t trusted
    if static_int is Int2:
        trusted = inv2(a, x, t)
    elif static_int is Int3:
        trusted = inv3(a, x, t)
    elif static_int is Int4:
        trusted = inv4(a, x, t)
    else:
        return inv_pivoted(a, sizeof(static_int), mask_none(), x)
    if mask_any(mask_not(trusted)):
        return inv_rest(a, trusted, x, c)
    return mask_none()


cdef int64_t inv_leaf(const run_t *run, real *t, static_int *c) noexcept nogil:
    """Operands: a (n, n), then x (n, n), info ()."""
    cdef int n = sizeof(static_int)
    cdef matrices_t a = matrices(&run.op[0], n, n), x = matrices(&run.op[1], n, n)
    cdef lanes_t ax[64]
    cdef lanes_t xx[64]
    cdef lane_mask_t singular
    cdef int64_t start = 0, failures = 0
    cdef int m
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, n, n, ax, t)
        singular = inv_bundle(ax, xx, t, c)
        scatter(x, start, m, n, n, xx, t)
        if mask_any(singular):
            failures += report(&run.op[2], start, m, singular)
        start += m
    return failures


# ------------------------------------------------------------ determinant

cdef extern from *:
    """
    #define TEENY_SMALL_SQUARED 0x1p84
    """
    const double SMALL_SQUARED "TEENY_SMALL_SQUARED"


cdef lane_mask_t small_integers(const lanes_t *a, int n) noexcept nogil:
    """Lanes of integers so small that elimination errs by less than 1/2."""
    cdef lane_mask_t integers = mask_not(mask_none())
    cdef lanes_t bound = lanes_fill(1.0), largest = lanes_fill(1.0), row
    cdef int i, j
    for i in range(n):
        row = lanes_fill(0.0)
        for j in range(n):
            integers = mask_and(integers, lanes_eq(a[i * n + j], lanes_round(a[i * n + j])))
            row = row + a[i * n + j] * a[i * n + j]
        if not mask_any(integers):
            break
        bound = bound * row
        largest = lanes_max(largest, row)
    # Hadamard's bound, squared, once more by the largest row for the backward error
    return mask_and(integers, lanes_gt(lanes_fill(SMALL_SQUARED), bound * largest))


cdef lanes_t scaled_determinant(const lanes_t *lu, int n, const lane_mask_t *exchanged) noexcept nogil:
    """The product of the pivots, mantissas and exponents apart."""
    cdef double product[4]
    cdef double pivot
    cdef int k, lane, exponent, scale
    for lane in range(LANES):
        product[lane] = 1.0
        scale = 0
        for k in range(n):
            pivot = lanes_get(lu[k * n + k], lane)
            product[lane] = frexp(product[lane] * pivot, &exponent)
            scale += exponent
        product[lane] = ldexp(product[lane], scale)
    return exchange_sign(lanes_load(product), n, exchanged)


cdef inline lanes_t det_pivoted(const lanes_t *a, int n) noexcept nogil:
    """By elimination; exact where every entry is a small integer."""
    cdef lanes_t lu[64]
    cdef lane_mask_t exchanged[64]
    cdef lane_mask_t singular, in_range
    cdef lanes_t det
    cdef int e
    for e in range(n * n):
        lu[e] = a[e]
    singular = factorise(lu, n, exchanged)
    in_range = determinant(lu, n, exchanged, &det)
    if mask_any(mask_not(in_range)):
        det = lanes_select(in_range, det, scaled_determinant(lu, n, exchanged))
    det = lanes_select(singular, lanes_fill(0.0), det)
    return lanes_select(small_integers(a, n), lanes_round(det), det)


cdef lanes_t det_rest(const lanes_t *a, static_int *_) noexcept nogil:
    return det_pivoted(a, sizeof(static_int))


cdef inline lanes_t det_bundle(const lanes_t *a, real *t, static_int *c) noexcept nogil:
    cdef lanes_t minors[12]
    cdef lanes_t det
    cdef lane_mask_t trusted
    if static_int is Int1:
        return a[0]
    elif static_int is Int2:
        trusted = det2(a, &det, t)
    elif static_int is Int3:
        trusted = expand3(a, minors, &det, t)
    elif static_int is Int4:
        trusted = expand4(a, minors, minors + 6, &det, t)
    else:
        return det_pivoted(a, sizeof(static_int))
    if mask_any(mask_not(trusted)):
        return lanes_select(trusted, det, det_rest(a, c))
    return det


cdef int64_t det_leaf(const run_t *run, real *t, static_int *c) noexcept nogil:
    """Operands: a (n, n), then det ()."""
    cdef int n = sizeof(static_int)
    cdef matrices_t a = matrices(&run.op[0], n, n)
    cdef matrices_t d = scalars(&run.op[1])
    cdef lanes_t ax[64]
    cdef lanes_t det
    cdef int64_t start = 0
    cdef int m
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, n, n, ax, t)
        det = det_bundle(ax, t, c)
        scatter(d, start, m, 1, 1, &det, t)
        start += m
    return 0


# ---------------------------------------------------------- linear systems


cdef int64_t solve_leaf(const run_t *run, real *t, static_int *c) noexcept nogil:
    """Operands: a (n, n), b (n, k), then x (n, k), info ()."""
    cdef int n = sizeof(static_int)
    cdef int64_t column, columns = run.op[1].shape[1]
    cdef matrices_t a = matrices(&run.op[0], n, n), b = matrices(&run.op[1], n, 1), x = matrices(&run.op[2], n, 1)
    cdef char *b0 = b.data
    cdef char *x0 = x.data
    cdef lanes_t lu[64]
    cdef lanes_t bx[8]
    cdef lane_mask_t exchanged[64]
    cdef lane_mask_t singular
    cdef int64_t start = 0, failures = 0
    cdef int i, m
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, n, n, lu, t)
        singular = factorise(lu, n, exchanged)
        for column in range(columns):
            b.data = b0 + column * b.col_stride * <int64_t> sizeof(real)
            x.data = x0 + column * x.col_stride * <int64_t> sizeof(real)
            gather(b, start, m, n, 1, bx, t)
            permute(n, exchanged, bx)
            substitute(lu, n, bx)
            for i in range(n):
                bx[i] = lanes_select(singular, lanes_fill(NAN), bx[i])
            scatter(x, start, m, n, 1, bx, t)
        if mask_any(singular):
            failures += report(&run.op[3], start, m, singular)
        start += m
    return failures


# ------------------------------------------------------------------ table

cdef small_table_t leaves


cdef void enter(int storage, real *_, static_int *__) noexcept:
    cdef int size = sizeof(static_int) - 1
    leaves.inv[storage][size] = <leaf_t> inv_leaf[real, static_int]
    leaves.det[storage][size] = <leaf_t> det_leaf[real, static_int]
    leaves.solve[storage][size] = <leaf_t> solve_leaf[real, static_int]


cdef void enter_sizes(int storage, real *t) noexcept:
    enter(storage, t, <Int1 *> NULL)
    enter(storage, t, <Int2 *> NULL)
    enter(storage, t, <Int3 *> NULL)
    enter(storage, t, <Int4 *> NULL)
    enter(storage, t, <Int5 *> NULL)
    enter(storage, t, <Int6 *> NULL)
    enter(storage, t, <Int7 *> NULL)
    enter(storage, t, <Int8 *> NULL)


enter_sizes(0, <float *> NULL)
enter_sizes(1, <double *> NULL)


def table():
    """The leaves of this instruction set: a capsule around a ``small_table_t``."""
    return PyCapsule_New(&leaves, SMALL_TABLE, NULL)
