"""Leaves for square matrices by elimination: inverse, determinant, linear systems.

Storage is float32 or float64; arithmetic is float64, rounded once. Each leaf
takes a bundle of cells at a time and is instantiated once per (storage, size):

    family      storage          sizes       leaves
    inv         float32 float64  1 ... 8     16
    det         float32 float64  1 ... 8     16
    slogdet     float32 float64  any          2
    solve       float32 float64  1 ... 8     16
    solvevec    float32 float64  1 ... 8     16
                                             66 in all

This module is compiled once per instruction set; `table` is all it exports.
"""

from libc.math cimport INFINITY, NAN, frexp, log
from libc.stdint cimport int64_t

from cpython.pycapsule cimport PyCapsule_New

from teeny._core.dispatch cimport Int1, Int2, Int3, Int4, Int5, Int6, Int7, Int8, real, static_int
from teeny._core.lanes cimport (DENSE, LANES, PACKED, SIDE, lane_mask_t, lanes_fill, lanes_get, lanes_load, lanes_nan,
                                lanes_select, lanes_t, mask_and, mask_any, mask_none, mask_not)
from teeny._core.leaves.cells cimport (count, dense, gather, matrices, matrices_t, ordered, packed, report, scalars, scatter, vectors,
                                       whole_bundles)
from teeny._core.leaves.closed cimport det2, expand3, expand4, inv2, inv3, inv4, solve2, solve3
from teeny._core.leaves.pivoted cimport exchange_sign, factorise, permute, substitute
from teeny._core.leaves.square cimport all_well, det_pivoted, factors, inv_pivoted, status_t
from teeny._core.leaves.table cimport LEAVES, OP_DET, OP_INV, OP_SLOGDET, OP_SOLVE, OP_SOLVEVEC, leaves_t
from teeny._core.run cimport leaf_t, run_t


# ---------------------------------------------------------------- inverse


cdef void inv_rest(const lanes_t *a, lane_mask_t keep, lanes_t *x, status_t *status, static_int *_) noexcept nogil:
    inv_pivoted(a, sizeof(static_int), keep, x, status)


cdef inline void inv_bundle(const lanes_t *a, lanes_t *x, status_t *status, real *t, static_int *c) noexcept nogil:
    """The inverse of each lane."""
    cdef int e, n = sizeof(static_int)
    cdef lanes_t ac[64]
    cdef lanes_t xc[64]
    cdef status_t again
    cdef lane_mask_t trusted
    if static_int is Int2:
        trusted = inv2(a, x, t)
    elif static_int is Int3:
        trusted = inv3(a, x, t)
    elif static_int is Int4:
        trusted = inv4(a, x, t)
    else:
        inv_pivoted(a, sizeof(static_int), mask_none(), x, status)
        return
    status[0] = all_well()
    if mask_any(mask_not(trusted)):
        for e in range(n * n):  # copies, so that a and x themselves never need to be in memory
            ac[e], xc[e] = a[e], x[e]
        inv_rest(ac, trusted, xc, &again, c)
        status[0] = again
        for e in range(n * n):
            x[e] = xc[e]


cdef inline int64_t inv_cells(const run_t *run, matrices_t a, matrices_t x, int64_t start, int64_t stop, bint whole,
                              real *t, static_int *c) noexcept nogil:
    """Cells from `start` to `stop`, in whole bundles or not."""
    cdef int n = sizeof(static_int)
    cdef lanes_t ax[64]
    cdef lanes_t xx[64]
    cdef status_t status
    cdef int64_t failures = 0
    cdef int m
    while start < stop:
        m = LANES if whole else count(start, stop)
        gather(a, start, m, n, n, ax, t)
        inv_bundle(ax, xx, &status, t, c)
        scatter(x, start, m, n, n, xx, t)
        failures += report(&run.op[2], start, m, status.singular, status.undefined)
        start += m
    return failures


cdef int64_t inv_any(const run_t *run, matrices_t a, matrices_t x, int64_t start, real *t, static_int *c) noexcept nogil:
    return inv_cells(run, a, x, start, run.n, False, t, c)


cdef int64_t inv_leaf(const run_t *run, real *t, static_int *c) noexcept nogil:
    """Operands: a (n, n), then x (n, n), info ()."""
    cdef int n = sizeof(static_int)
    cdef matrices_t a = matrices(&run.op[0], n, n), x = matrices(&run.op[1], n, n)
    cdef int64_t done = whole_bundles(run.n), failures = 0
    if n <= 4 and a.order == PACKED and x.order == PACKED:
        failures = inv_cells(run, packed(a, n * n), packed(x, n * n), 0, done, True, t, c)
    elif n <= 4 and dense(a) and dense(x):
        failures = inv_cells(run, ordered(a, DENSE), ordered(x, DENSE), 0, done, True, t, c)
    elif n <= 4 and a.order == SIDE and dense(x):
        failures = inv_cells(run, ordered(a, SIDE), ordered(x, DENSE), 0, done, True, t, c)
    else:
        done = 0
    return failures + inv_any(run, a, x, done, t, c)


# ------------------------------------------------------------ determinant

cdef lanes_t det_rest(const lanes_t *a, static_int *_) noexcept nogil:
    return det_pivoted(a, sizeof(static_int))


cdef inline lanes_t det_bundle(const lanes_t *a, real *t, static_int *c) noexcept nogil:
    cdef int e, n = sizeof(static_int)
    cdef lanes_t ac[64]
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
        for e in range(n * n):  # a copy, so that a itself never needs to be in memory
            ac[e] = a[e]
        return lanes_select(trusted, det, det_rest(ac, c))
    return det


cdef inline int64_t det_cells(const run_t *run, matrices_t a, matrices_t d, int64_t start, int64_t stop, bint whole,
                              real *t, static_int *c) noexcept nogil:
    cdef int n = sizeof(static_int)
    cdef lanes_t ax[64]
    cdef lanes_t det
    cdef int m
    while start < stop:
        m = LANES if whole else count(start, stop)
        gather(a, start, m, n, n, ax, t)
        det = det_bundle(ax, t, c)
        scatter(d, start, m, 1, 1, &det, t)
        start += m
    return 0


cdef int64_t det_any(const run_t *run, matrices_t a, matrices_t d, int64_t start, real *t, static_int *c) noexcept nogil:
    return det_cells(run, a, d, start, run.n, False, t, c)


cdef int64_t det_leaf(const run_t *run, real *t, static_int *c) noexcept nogil:
    """Operands: a (n, n), then det ()."""
    cdef int n = sizeof(static_int)
    cdef matrices_t a = matrices(&run.op[0], n, n), d = scalars(&run.op[1])
    cdef int64_t done = whole_bundles(run.n)
    if n <= 4 and a.order == PACKED and d.order == SIDE:
        det_cells(run, packed(a, n * n), ordered(d, SIDE), 0, done, True, t, c)
    elif n <= 4 and dense(a) and d.order == SIDE:
        det_cells(run, ordered(a, DENSE), ordered(d, SIDE), 0, done, True, t, c)
    elif n <= 4 and a.order == SIDE and d.order == SIDE:
        det_cells(run, ordered(a, SIDE), ordered(d, SIDE), 0, done, True, t, c)
    else:
        done = 0
    return det_any(run, a, d, done, t, c)


cdef int64_t slogdet_leaf(const run_t *run, real *t) noexcept nogil:
    """Operands: a (n, n), then sign (), logabsdet ()."""
    cdef int n = <int> run.op[0].shape[0]
    cdef matrices_t a = matrices(&run.op[0], n, n), s = scalars(&run.op[1]), l = scalars(&run.op[2])
    cdef lanes_t lu[64]
    cdef lane_mask_t exchanged[64]
    cdef lane_mask_t singular
    cdef lanes_t sign, magnitude
    cdef int64_t start = 0
    cdef int m
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, n, n, lu, t)
        singular = factorise(lu, n, exchanged)
        log_determinant(lu, n, exchanged, &sign, &magnitude)
        singular = mask_and(singular, mask_not(lanes_nan(lu[n * n - 1])))
        sign = lanes_select(singular, lanes_fill(0.0), sign)
        magnitude = lanes_select(singular, lanes_fill(-INFINITY), magnitude)
        scatter(s, start, m, 1, 1, &sign, t)
        scatter(l, start, m, 1, 1, &magnitude, t)
        start += m
    return 0


cdef void log_determinant(const lanes_t *lu, int n, const lane_mask_t *exchanged, lanes_t *sign,
                          lanes_t *magnitude) noexcept nogil:
    """The sign of the product of the pivots, and the logarithm of the rest: mantissas and exponents apart."""
    cdef double signs[16]
    cdef double logs[16]
    cdef double pivot, product
    cdef int k, lane, exponent, scale
    for lane in range(LANES):
        product = 1.0
        scale = 0
        for k in range(n):
            pivot = lanes_get(lu[k * n + k], lane)
            product = frexp(product * pivot, &exponent)
            scale += exponent
        signs[lane] = NAN if product != product else (1.0 if product > 0 else -1.0)
        if product < 0:
            product = -product
        if product < 0.70710678118654752:  # so that what is near 1 loses no digits
            product *= 2
            scale -= 1
        logs[lane] = log(product) + scale * 0.69314718055994531
    sign[0] = exchange_sign(lanes_load(signs), n, exchanged)
    magnitude[0] = lanes_load(logs)


# ---------------------------------------------------------- linear systems


cdef int64_t solve_leaf(const run_t *run, real *t, static_int *c) noexcept nogil:
    """Operands: a (n, n), b (n, k), then x (n, k), info ()."""
    cdef int n = sizeof(static_int)
    cdef matrices_t a = matrices(&run.op[0], n, n), b = matrices(&run.op[1], n, 1), x = matrices(&run.op[2], n, 1)
    cdef char *b0 = b.data
    cdef char *x0 = x.data
    cdef lanes_t lu[64]
    cdef lanes_t bx[8]
    cdef lane_mask_t exchanged[64]
    cdef status_t status
    cdef int64_t column, start = 0, failures = 0
    cdef int i, m
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, n, n, lu, t)
        factors(lu, n, exchanged, mask_none(), &status)
        for column in range(run.op[1].shape[1]):
            b.data = b0 + column * b.col_stride * <int64_t> sizeof(real)
            x.data = x0 + column * x.col_stride * <int64_t> sizeof(real)
            gather(b, start, m, n, 1, bx, t)
            permute(n, exchanged, bx)
            substitute(lu, n, bx)
            for i in range(n):
                bx[i] = lanes_select(status.lost, lanes_fill(NAN), bx[i])
            scatter(x, start, m, n, 1, bx, t)
        failures += report(&run.op[3], start, m, status.singular, status.undefined)
        start += m
    return failures


cdef inline void solve_pivoted(const lanes_t *a, int n, lane_mask_t keep, const lanes_t *b, lanes_t *x,
                               status_t *status) noexcept nogil:
    """x by elimination, but for the lanes in `keep`; NaN throughout where there is no solution."""
    cdef lanes_t lu[64]
    cdef lanes_t y[8]
    cdef lane_mask_t exchanged[64]
    cdef int e
    for e in range(n * n):
        lu[e] = a[e]
    for e in range(n):
        y[e] = b[e]
    factors(lu, n, exchanged, keep, status)
    permute(n, exchanged, y)
    substitute(lu, n, y)
    for e in range(n):
        x[e] = lanes_select(keep, x[e], lanes_select(status.lost, lanes_fill(NAN), y[e]))


cdef void solve_rest(const lanes_t *a, lane_mask_t keep, const lanes_t *b, lanes_t *x, status_t *status,
                     static_int *_) noexcept nogil:
    solve_pivoted(a, sizeof(static_int), keep, b, x, status)


cdef inline void solve_bundle(const lanes_t *a, const lanes_t *b, lanes_t *x, status_t *status, real *t,
                              static_int *c) noexcept nogil:
    cdef int e, n = sizeof(static_int)
    cdef lanes_t ac[64]
    cdef lanes_t bc[8]
    cdef lanes_t xc[8]
    cdef status_t again
    cdef lane_mask_t trusted
    if static_int is Int2:
        trusted = solve2(a, b, x, t)
    elif static_int is Int3:
        trusted = solve3(a, b, x, t)
    else:
        solve_pivoted(a, sizeof(static_int), mask_none(), b, x, status)
        return
    status[0] = all_well()
    if mask_any(mask_not(trusted)):
        for e in range(n * n):
            ac[e] = a[e]
        for e in range(n):
            bc[e], xc[e] = b[e], x[e]
        solve_rest(ac, trusted, bc, xc, &again, c)
        status[0] = again
        for e in range(n):
            x[e] = xc[e]


cdef inline int64_t solvevec_cells(const run_t *run, matrices_t a, matrices_t b, matrices_t x, int64_t start,
                                   int64_t stop, bint whole, real *t, static_int *c) noexcept nogil:
    cdef int n = sizeof(static_int)
    cdef lanes_t ax[64]
    cdef lanes_t bx[8]
    cdef lanes_t xx[8]
    cdef status_t status
    cdef int64_t failures = 0
    cdef int m
    while start < stop:
        m = LANES if whole else count(start, stop)
        gather(a, start, m, n, n, ax, t)
        gather(b, start, m, n, 1, bx, t)
        solve_bundle(ax, bx, xx, &status, t, c)
        scatter(x, start, m, n, 1, xx, t)
        failures += report(&run.op[3], start, m, status.singular, status.undefined)
        start += m
    return failures


cdef int64_t solvevec_any(const run_t *run, matrices_t a, matrices_t b, matrices_t x, int64_t start, real *t,
                          static_int *c) noexcept nogil:
    return solvevec_cells(run, a, b, x, start, run.n, False, t, c)


cdef int64_t solvevec_leaf(const run_t *run, real *t, static_int *c) noexcept nogil:
    """Operands: a (n, n), b (n), then x (n), info ()."""
    cdef int n = sizeof(static_int)
    cdef matrices_t a = matrices(&run.op[0], n, n), b = vectors(&run.op[1], n), x = vectors(&run.op[2], n)
    cdef int64_t done = 0, failures = 0
    if n <= 4 and a.order == PACKED and b.order == PACKED and x.order == PACKED:
        done = whole_bundles(run.n)
        failures = solvevec_cells(run, packed(a, n * n), packed(b, n), packed(x, n), 0, done, True, t, c)
    elif n <= 4 and dense(a) and dense(b) and dense(x):
        done = whole_bundles(run.n)
        failures = solvevec_cells(run, ordered(a, DENSE), ordered(b, DENSE), ordered(x, DENSE), 0, done, True, t, c)
    return failures + solvevec_any(run, a, b, x, done, t, c)


# ------------------------------------------------------------------ table

cdef leaves_t leaves


cdef void enter(int storage, real *_, static_int *__) noexcept:
    cdef int n = sizeof(static_int)
    leaves.leaf[OP_INV][storage][n] = <leaf_t> inv_leaf[real, static_int]
    leaves.leaf[OP_DET][storage][n] = <leaf_t> det_leaf[real, static_int]
    leaves.leaf[OP_SOLVE][storage][n] = <leaf_t> solve_leaf[real, static_int]
    leaves.leaf[OP_SOLVEVEC][storage][n] = <leaf_t> solvevec_leaf[real, static_int]


cdef void enter_sizes(int storage, real *t) noexcept:
    leaves.leaf[OP_SLOGDET][storage][0] = <leaf_t> slogdet_leaf[real]
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
    """The leaves of this instruction set: a capsule around a ``leaves_t``."""
    return PyCapsule_New(&leaves, LEAVES, NULL)
