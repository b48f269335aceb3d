"""Leaves for positive definite matrices: Cholesky factors, and systems solved by them.

Only the lower triangle takes part in the arithmetic, whatever the other holds.
Storage is float32 or float64; arithmetic is float64, rounded once. Each leaf
takes a bundle of cells at a time and is instantiated once per (storage, size):

    family      storage          sizes       leaves
    cholesky    float32 float64  1 ... 8     16
    cho_solve   float32 float64  1 ... 8     16
                                             32 in all

This module is compiled once per instruction set; `table` is all it exports.
"""

from libc.math cimport INFINITY, NAN
from libc.stdint cimport int64_t

from cpython.pycapsule cimport PyCapsule_New

from teeny._core.dispatch cimport Int1, Int2, Int3, Int4, Int5, Int6, Int7, Int8, real, static_int
from teeny._core.lanes cimport (lane_mask_t, lanes_eq, lanes_fill, lanes_gt, lanes_nan, lanes_select, lanes_sqrt,
                                lanes_t, mask_and, mask_any, mask_none, mask_not, mask_or)
from teeny._core.leaves.cells cimport count, gather, matrices, matrices_t, report, scatter
from teeny._core.leaves.table cimport LEAVES, OP_CHO_SOLVE, OP_CHOLESKY, leaves_t
from teeny._core.run cimport leaf_t, run_t

cdef extern from *:
    """
    #define TEENY_TINY 0x1p-1000
    """
    const double TINY "TEENY_TINY"


cdef inline lane_mask_t not_finite(const lanes_t *a, int n) noexcept nogil:
    """Lanes with NaN or infinity in the lower triangle."""
    cdef lanes_t zero = lanes_fill(0.0)
    cdef int i, j
    for i in range(n):
        for j in range(n):
            if j <= i:
                zero = zero + a[i * n + j] * lanes_fill(0.0)
    return lanes_nan(zero)


# ---------------------------------------------------------------- factors


cdef inline lane_mask_t factor(lanes_t *a, int n) noexcept nogil:
    """L of A = L L^T in place, zeros above; the lanes that it is right for.

    By way of A = M D M^T: nothing waits for a square root. Pivots must be positive, finite, and have a reciprocal.
    """
    cdef lane_mask_t regular = mask_not(mask_none())
    cdef lanes_t column[8]
    cdef lanes_t scaled[8]
    cdef lanes_t pivot, reciprocal, root
    cdef int i, j, k
    for k in range(n):
        pivot = a[k * n + k]
        regular = mask_and(regular, mask_and(lanes_gt(pivot, lanes_fill(TINY)), lanes_gt(lanes_fill(INFINITY), pivot)))
        reciprocal = lanes_fill(1.0) / pivot
        root = lanes_sqrt(pivot)
        for i in range(n):
            if i > k:
                column[i] = a[i * n + k]
                scaled[i] = column[i] * reciprocal
                a[i * n + k] = scaled[i] * root
            elif i < k:
                a[i * n + k] = lanes_fill(0.0)
        a[k * n + k] = root
        for j in range(n):
            for i in range(n):
                if k < j and j <= i:
                    a[i * n + j] = a[i * n + j] - scaled[i] * column[j]
    return regular


cdef void factor_rest(lanes_t *a, lane_mask_t keep, lane_mask_t *failed, lane_mask_t *undefined,
                      static_int *_) noexcept nogil:
    """The same for the lanes not in `keep`, square roots first, down to the smallest pivots; NaN where there is none.

    A pivot that is not positive is replaced by 1, which keeps its lane free of infinities.
    """
    cdef int n = sizeof(static_int), i, j, k
    cdef lane_mask_t positive
    undefined[0] = not_finite(a, n)
    failed[0] = mask_none()
    for k in range(n):
        positive = lanes_gt(a[k * n + k], lanes_fill(0.0))
        failed[0] = mask_or(failed[0], mask_not(positive))
        a[k * n + k] = lanes_sqrt(lanes_select(positive, a[k * n + k], lanes_fill(1.0)))
        for i in range(n):
            if i > k:
                a[i * n + k] = a[i * n + k] / a[k * n + k]
        for j in range(n):
            for i in range(n):
                if k < j and j <= i:
                    a[i * n + j] = a[i * n + j] - a[i * n + k] * a[j * n + k]
    for i in range(n):
        for j in range(n):
            if j > i:
                a[i * n + j] = lanes_fill(0.0)
            a[i * n + j] = lanes_select(mask_or(failed[0], undefined[0]), lanes_fill(NAN), a[i * n + j])
    failed[0] = mask_and(failed[0], mask_not(mask_or(undefined[0], keep)))


cdef int64_t cholesky_leaf(const run_t *run, real *t, static_int *c) noexcept nogil:
    """Operands: a (n, n), then l (n, n), info ()."""
    cdef int n = sizeof(static_int)
    cdef matrices_t a = matrices(&run.op[0], n, n), l = matrices(&run.op[1], n, n)
    cdef lanes_t lx[64]
    cdef lanes_t rest[64]
    cdef lane_mask_t regular, failed, undefined
    cdef int64_t start = 0, failures = 0
    cdef int e, m
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, n, n, lx, t)
        regular = factor(lx, n)
        if mask_any(mask_not(regular)):
            gather(a, start, m, n, n, rest, t)
            factor_rest(rest, regular, &failed, &undefined, c)
            for e in range(n * n):
                lx[e] = lanes_select(regular, lx[e], rest[e])
            failures += report(&run.op[2], start, m, failed, undefined)
        scatter(l, start, m, n, n, lx, t)
        start += m
    return failures


# ---------------------------------------------------------- linear systems


cdef inline void substitute(const lanes_t *l, int n, lanes_t *b) noexcept nogil:
    """b becomes L^-T L^-1 b."""
    cdef int i, k
    for k in range(n):
        b[k] = b[k] / l[k * n + k]
        for i in range(n):
            if i > k:
                b[i] = b[i] - l[i * n + k] * b[k]
    for k in range(n - 1, -1, -1):
        b[k] = b[k] / l[k * n + k]
        for i in range(n):
            if i < k:
                b[i] = b[i] - l[k * n + i] * b[k]


cdef int64_t cho_solve_leaf(const run_t *run, real *t, static_int *_) noexcept nogil:
    """Operands: l (n, n), b (n, k), then x (n, k), info ()."""
    cdef int n = sizeof(static_int)
    cdef matrices_t l = matrices(&run.op[0], n, n), b = matrices(&run.op[1], n, 1), x = matrices(&run.op[2], n, 1)
    cdef char *b0 = b.data
    cdef char *x0 = x.data
    cdef lanes_t lx[64]
    cdef lanes_t bx[8]
    cdef lane_mask_t singular, undefined, lost, zero
    cdef int64_t column, start = 0, failures = 0
    cdef int i, m
    while start < run.n:
        m = count(start, run.n)
        gather(l, start, m, n, n, lx, t)
        undefined = not_finite(lx, n)
        singular = mask_none()
        for i in range(n):
            zero = lanes_eq(lx[i * n + i], lanes_fill(0.0))
            singular = mask_or(singular, zero)
            lx[i * n + i] = lanes_select(zero, lanes_fill(1.0), lx[i * n + i])
        lost = mask_or(singular, undefined)
        for column in range(run.op[1].shape[1]):
            b.data = b0 + column * b.col_stride * <int64_t> sizeof(real)
            x.data = x0 + column * x.col_stride * <int64_t> sizeof(real)
            gather(b, start, m, n, 1, bx, t)
            substitute(lx, n, bx)
            for i in range(n):
                bx[i] = lanes_select(lost, lanes_fill(NAN), bx[i])
            scatter(x, start, m, n, 1, bx, t)
        failures += report(&run.op[3], start, m, mask_and(singular, mask_not(undefined)), undefined)
        start += m
    return failures


# ------------------------------------------------------------------ table

cdef leaves_t leaves


cdef void enter(int storage, real *_, static_int *__) noexcept:
    cdef int n = sizeof(static_int)
    leaves.leaf[OP_CHOLESKY][storage][n] = <leaf_t> cholesky_leaf[real, static_int]
    leaves.leaf[OP_CHO_SOLVE][storage][n] = <leaf_t> cho_solve_leaf[real, static_int]


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
    """The leaves of this instruction set: a capsule around a ``leaves_t``."""
    return PyCapsule_New(&leaves, LEAVES, NULL)
