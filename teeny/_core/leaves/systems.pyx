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
                                lanes_select, lanes_t, mask_and, mask_any, mask_lane, mask_none, mask_not)
from teeny._core.leaves.cells cimport (count, dense, gather, matrices, matrices_t, ordered, packed, report, scalars, scatter, vectors,
                                       whole_bundles)
from teeny._core.leaves.closed cimport det2, expand3, expand4, inv2, inv3, inv4, solve2, solve3
from teeny._core.leaves.deferred cimport deferred_t, put_aside, put_back, report_deferred, take_up
from teeny._core.leaves.pivoted cimport exchange_sign, factorise, permute, substitute
from teeny._core.leaves.square cimport det_pivoted, factors, inv_pivoted, status_t
from teeny._core.leaves.table cimport LEAVES, OP_DET, OP_INV, OP_SLOGDET, OP_SOLVE, OP_SOLVEVEC, leaves_t
from teeny._core.run cimport leaf_t, run_t


# ---------------------------------------------------------------- inverse


cdef inline lane_mask_t inv_closed(const lanes_t *a, lanes_t *x, real *t, static_int *_) noexcept nogil:
    """The inverse in closed form; the lanes that may have it."""
    if static_int is Int2:
        return inv2(a, x, t)
    elif static_int is Int3:
        return inv3(a, x, t)
    elif static_int is Int4:
        return inv4(a, x, t)
    else:
        return mask_none()


cdef int64_t inv_again(const run_t *run, deferred_t *d, matrices_t x, real *t, static_int *_) noexcept nogil:
    """What was put aside, by elimination."""
    cdef int n = sizeof(static_int)
    cdef lanes_t ax[64]
    cdef lanes_t xx[64]
    cdef status_t status
    take_up(d.a, d.count, n * n, ax)
    inv_pivoted(ax, n, xx, &status)
    put_back(d, x, n, n, xx, t)
    return report_deferred(d, &run.op[2], status.singular, status.undefined)


cdef int64_t inv_aside(const run_t *run, deferred_t *d, matrices_t x, const lanes_t *a, lane_mask_t trusted,
                       int64_t start, int m, real *t, static_int *c) noexcept nogil:
    cdef int64_t failures = 0
    cdef int k, n = sizeof(static_int)
    for k in range(m):
        if not mask_lane(trusted, k):
            put_aside(d, start + k, a, n * n, NULL, 0, k)
            if d.count == LANES:
                failures += inv_again(run, d, x, t, c)
    return failures


cdef inline int64_t inv_cells(const run_t *run, matrices_t a, matrices_t x, int64_t start, int64_t stop, bint whole,
                              real *t, static_int *c) noexcept nogil:
    """Cells from `start` to `stop`, in whole bundles or not."""
    cdef int n = sizeof(static_int)
    cdef lanes_t ax[64]
    cdef lanes_t xx[64]
    cdef lanes_t ac[64]
    cdef deferred_t d
    cdef status_t status
    cdef lane_mask_t trusted
    cdef int64_t failures = 0
    cdef int e, m
    d.count = 0
    while start < stop:
        m = LANES if whole else count(start, stop)
        gather(a, start, m, n, n, ax, t)
        if 2 <= n <= 4:
            trusted = inv_closed(ax, xx, t, c)
            scatter(x, start, m, n, n, xx, t)
            if mask_any(mask_not(trusted)):
                for e in range(n * n):  # a copy, so that ax itself never needs to be in memory
                    ac[e] = ax[e]
                failures += inv_aside(run, &d, x, ac, trusted, start, m, t, c)
        else:
            inv_pivoted(ax, n, xx, &status)
            scatter(x, start, m, n, n, xx, t)
            failures += report(&run.op[2], start, m, status.singular, status.undefined)
        start += m
    if 2 <= n <= 4 and d.count:
        failures += inv_again(run, &d, x, t, c)
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

cdef inline lane_mask_t det_closed(const lanes_t *a, lanes_t *det, real *t, static_int *_) noexcept nogil:
    """The determinant in closed form; the lanes that may have it."""
    cdef lanes_t minors[12]
    if static_int is Int2:
        return det2(a, det, t)
    elif static_int is Int3:
        return expand3(a, minors, det, t)
    elif static_int is Int4:
        return expand4(a, minors, minors + 6, det, t)
    else:
        return mask_none()


cdef void det_again(deferred_t *d, matrices_t x, real *t, static_int *_) noexcept nogil:
    """What was put aside, by elimination."""
    cdef int n = sizeof(static_int)
    cdef lanes_t ax[64]
    cdef lanes_t det
    take_up(d.a, d.count, n * n, ax)
    det = det_pivoted(ax, n)
    put_back(d, x, 1, 1, &det, t)
    d.count = 0


cdef void det_aside(deferred_t *d, matrices_t x, const lanes_t *a, lane_mask_t trusted, int64_t start, int m, real *t,
                    static_int *c) noexcept nogil:
    cdef int k, n = sizeof(static_int)
    for k in range(m):
        if not mask_lane(trusted, k):
            put_aside(d, start + k, a, n * n, NULL, 0, k)
            if d.count == LANES:
                det_again(d, x, t, c)


cdef inline int64_t det_cells(const run_t *run, matrices_t a, matrices_t x, int64_t start, int64_t stop, bint whole,
                              real *t, static_int *c) noexcept nogil:
    cdef int n = sizeof(static_int)
    cdef lanes_t ax[64]
    cdef lanes_t ac[64]
    cdef lanes_t det
    cdef deferred_t d
    cdef lane_mask_t trusted
    cdef int e, m
    d.count = 0
    while start < stop:
        m = LANES if whole else count(start, stop)
        gather(a, start, m, n, n, ax, t)
        if 2 <= n <= 4:
            trusted = det_closed(ax, &det, t, c)
            scatter(x, start, m, 1, 1, &det, t)
            if mask_any(mask_not(trusted)):
                for e in range(n * n):
                    ac[e] = ax[e]
                det_aside(&d, x, ac, trusted, start, m, t, c)
        else:
            det = ax[0] if n == 1 else det_pivoted(ax, n)
            scatter(x, start, m, 1, 1, &det, t)
        start += m
    if 2 <= n <= 4 and d.count:
        det_again(&d, x, t, c)
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
        factors(lu, n, exchanged, &status)
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


cdef inline void solve_pivoted(lanes_t *a, int n, lanes_t *b, status_t *status) noexcept nogil:
    """b becomes the solution by elimination, a its factors; NaN throughout where there is no solution."""
    cdef lane_mask_t exchanged[64]
    cdef int e
    factors(a, n, exchanged, status)
    permute(n, exchanged, b)
    substitute(a, n, b)
    for e in range(n):
        b[e] = lanes_select(status.lost, lanes_fill(NAN), b[e])


cdef inline lane_mask_t solve_closed(const lanes_t *a, const lanes_t *b, lanes_t *x, real *t,
                                     static_int *_) noexcept nogil:
    """The solution in closed form; the lanes that may have it."""
    if static_int is Int2:
        return solve2(a, b, x, t)
    elif static_int is Int3:
        return solve3(a, b, x, t)
    else:
        return mask_none()


cdef int64_t solve_again(const run_t *run, deferred_t *d, matrices_t x, real *t, static_int *_) noexcept nogil:
    """What was put aside, by elimination."""
    cdef int n = sizeof(static_int)
    cdef lanes_t ax[64]
    cdef lanes_t bx[8]
    cdef status_t status
    take_up(d.a, d.count, n * n, ax)
    take_up(d.b, d.count, n, bx)
    solve_pivoted(ax, n, bx, &status)
    put_back(d, x, n, 1, bx, t)
    return report_deferred(d, &run.op[3], status.singular, status.undefined)


cdef int64_t solve_aside(const run_t *run, deferred_t *d, matrices_t x, const lanes_t *a, const lanes_t *b,
                         lane_mask_t trusted, int64_t start, int m, real *t, static_int *c) noexcept nogil:
    cdef int64_t failures = 0
    cdef int k, n = sizeof(static_int)
    for k in range(m):
        if not mask_lane(trusted, k):
            put_aside(d, start + k, a, n * n, b, n, k)
            if d.count == LANES:
                failures += solve_again(run, d, x, t, c)
    return failures


cdef inline int64_t solvevec_cells(const run_t *run, matrices_t a, matrices_t b, matrices_t x, int64_t start,
                                   int64_t stop, bint whole, real *t, static_int *c) noexcept nogil:
    cdef int n = sizeof(static_int)
    cdef lanes_t ax[64]
    cdef lanes_t bx[8]
    cdef lanes_t xx[8]
    cdef lanes_t ac[64]
    cdef lanes_t bc[8]
    cdef deferred_t d
    cdef status_t status
    cdef lane_mask_t trusted
    cdef int64_t failures = 0
    cdef int e, m
    d.count = 0
    while start < stop:
        m = LANES if whole else count(start, stop)
        gather(a, start, m, n, n, ax, t)
        gather(b, start, m, n, 1, bx, t)
        if 2 <= n <= 3:
            trusted = solve_closed(ax, bx, xx, t, c)
            scatter(x, start, m, n, 1, xx, t)
            if mask_any(mask_not(trusted)):
                for e in range(n * n):
                    ac[e] = ax[e]
                for e in range(n):
                    bc[e] = bx[e]
                failures += solve_aside(run, &d, x, ac, bc, trusted, start, m, t, c)
        else:
            solve_pivoted(ax, n, bx, &status)
            scatter(x, start, m, n, 1, bx, t)
            failures += report(&run.op[3], start, m, status.singular, status.undefined)
        start += m
    if 2 <= n <= 3 and d.count:
        failures += solve_again(run, &d, x, t, c)
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


cdef inline bint slower_with_eight_lanes(int storage, int n) noexcept:
    """Whether to leave a size to the instruction set below: bundles that span so much come too slowly from memory."""
    return LANES == 8 and storage == 1 and (n == 3 or n == 4)


cdef void enter(int storage, real *_, static_int *__) noexcept:
    cdef int n = sizeof(static_int)
    if n == 3 or not slower_with_eight_lanes(storage, n):
        leaves.leaf[OP_DET][storage][n] = <leaf_t> det_leaf[real, static_int]
    if slower_with_eight_lanes(storage, n):
        return
    leaves.leaf[OP_INV][storage][n] = <leaf_t> inv_leaf[real, static_int]
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
