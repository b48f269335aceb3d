"""Leaves for symmetric matrices in packed storage: products, linear systems, inverse, determinant.

A packed cell holds the diagonal, then the elements above it row by row. It is
unpacked within the bundle, so that indefinite matrices are as safe as any: the
same closed forms and the same pivoted elimination. Storage is float32 or
float64; arithmetic is float64, rounded once. Each leaf takes a bundle of cells at
a time and is instantiated once per (storage, size):

    family      storage          sizes       leaves
    pack        float32 float64  1 ... 8     16
    unpack      float32 float64  1 ... 8     16
    matvec      float32 float64  1 ... 8     16
    solve       float32 float64  1 ... 8     16
    inv         float32 float64  1 ... 8     16
    det         float32 float64  1 ... 8     16
                                             96 in all

This module is compiled once per instruction set; `table` is all it exports.
"""

from libc.math cimport NAN
from libc.stdint cimport int64_t

from cpython.pycapsule cimport PyCapsule_New

from teeny._core.dispatch cimport Int1, Int2, Int3, Int4, Int5, Int6, Int7, Int8, real, static_int
from teeny._core.lanes cimport (lane_mask_t, lanes_fill, lanes_select, lanes_t, mask_and, mask_any, mask_none, mask_not)
from teeny._core.leaves.cells cimport count, gather, matrices, matrices_t, report, scalars, scatter, vectors
from teeny._core.leaves.closed cimport det2, expand3, expand4, inv2, inv3, inv4
from teeny._core.leaves.pivoted cimport permute, substitute
from teeny._core.leaves.square cimport all_well, det_pivoted, factors, inv_pivoted, status_t
from teeny._core.leaves.table cimport (LEAVES, OP_SYM_DET, OP_SYM_INV, OP_SYM_MATVEC, OP_SYM_PACK, OP_SYM_SOLVE,
                                       OP_SYM_UNPACK, leaves_t)
from teeny._core.run cimport leaf_t, run_t


# ---------------------------------------------------------------- storage


cdef inline int packed_size(int n) noexcept nogil:
    return n * (n + 1) // 2


cdef inline int place(int i, int j, int n) noexcept nogil:
    """Where the element (i, j) of a symmetric matrix lies."""
    if i == j:
        return i
    if i > j:
        i, j = j, i
    return n + i * (2 * n - i - 1) // 2 + j - i - 1


cdef inline void pack(const lanes_t *a, int n, lanes_t *x) noexcept nogil:
    """The lower triangle."""
    cdef int i, j
    for i in range(n):
        for j in range(n):
            if j <= i:
                x[place(i, j, n)] = a[i * n + j]


cdef inline void unpack(const lanes_t *x, int n, lanes_t *a) noexcept nogil:
    cdef int i, j
    for i in range(n):
        for j in range(n):
            a[i * n + j] = x[place(i, j, n)]


cdef int64_t pack_leaf(const run_t *run, real *t, static_int *_) noexcept nogil:
    """Operands: a (n, n), then x (t)."""
    cdef int n = sizeof(static_int), size = packed_size(n), m
    cdef matrices_t a = matrices(&run.op[0], n, n), x = vectors(&run.op[1], size)
    cdef lanes_t ax[64]
    cdef lanes_t xx[36]
    cdef int64_t start = 0
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, n, n, ax, t)
        pack(ax, n, xx)
        scatter(x, start, m, size, 1, xx, t)
        start += m
    return 0


cdef int64_t unpack_leaf(const run_t *run, real *t, static_int *_) noexcept nogil:
    """Operands: x (t), then a (n, n)."""
    cdef int n = sizeof(static_int), size = packed_size(n), m
    cdef matrices_t x = vectors(&run.op[0], size), a = matrices(&run.op[1], n, n)
    cdef lanes_t xx[36]
    cdef lanes_t ax[64]
    cdef int64_t start = 0
    while start < run.n:
        m = count(start, run.n)
        gather(x, start, m, size, 1, xx, t)
        unpack(xx, n, ax)
        scatter(a, start, m, n, n, ax, t)
        start += m
    return 0


# ---------------------------------------------------------------- products


cdef int64_t matvec_leaf(const run_t *run, real *t, static_int *_) noexcept nogil:
    """Operands: a (t), x (n), then y (n)."""
    cdef int n = sizeof(static_int), size = packed_size(n), m, i, j
    cdef matrices_t a = vectors(&run.op[0], size), x = vectors(&run.op[1], n), y = vectors(&run.op[2], n)
    cdef lanes_t ax[36]
    cdef lanes_t xx[8]
    cdef lanes_t yx[8]
    cdef int64_t start = 0
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, size, 1, ax, t)
        gather(x, start, m, n, 1, xx, t)
        for i in range(n):
            yx[i] = ax[place(i, 0, n)] * xx[0]
            for j in range(n):
                if j > 0:
                    yx[i] = yx[i] + ax[place(i, j, n)] * xx[j]
        scatter(y, start, m, n, 1, yx, t)
        start += m
    return 0


# ---------------------------------------------------------- linear systems


cdef void solve_bundle(const lanes_t *packed, lanes_t *b, status_t *status, static_int *_) noexcept nogil:
    """b becomes A^-1 b."""
    cdef int n = sizeof(static_int), i
    cdef lanes_t lu[64]
    cdef lane_mask_t exchanged[64]
    unpack(packed, n, lu)
    factors(lu, n, exchanged, status)
    permute(n, exchanged, b)
    substitute(lu, n, b)
    for i in range(n):
        b[i] = lanes_select(status.lost, lanes_fill(NAN), b[i])


cdef int64_t solve_leaf(const run_t *run, real *t, static_int *c) noexcept nogil:
    """Operands: a (t), b (n), then x (n), info ()."""
    cdef int n = sizeof(static_int), size = packed_size(n), m
    cdef matrices_t a = vectors(&run.op[0], size), b = vectors(&run.op[1], n), x = vectors(&run.op[2], n)
    cdef lanes_t ax[36]
    cdef lanes_t bx[8]
    cdef status_t status
    cdef int64_t start = 0, failures = 0
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, size, 1, ax, t)
        gather(b, start, m, n, 1, bx, t)
        solve_bundle(ax, bx, &status, c)
        scatter(x, start, m, n, 1, bx, t)
        failures += report(&run.op[3], start, m, status.singular, status.undefined)
        start += m
    return failures


# ------------------------------------------------ inverse and determinant


cdef void inv_rest(const lanes_t *a, lane_mask_t keep, lanes_t *x, status_t *status, static_int *_) noexcept nogil:
    """By elimination, but for the lanes in `keep`."""
    cdef int e, n = sizeof(static_int)
    cdef lanes_t y[64]
    inv_pivoted(a, n, y, status)
    for e in range(n * n):
        x[e] = lanes_select(keep, x[e], y[e])
    status.singular = mask_and(status.singular, mask_not(keep))
    status.undefined = mask_and(status.undefined, mask_not(keep))


cdef inline void inv_bundle(const lanes_t *a, lanes_t *x, status_t *status, real *t, static_int *c) noexcept nogil:
    cdef lane_mask_t trusted = mask_none()
    if static_int is Int2:
        trusted = inv2(a, x, t)
    elif static_int is Int3:
        trusted = inv3(a, x, t)
    elif static_int is Int4:
        trusted = inv4(a, x, t)
    status[0] = all_well()
    if mask_any(mask_not(trusted)):
        inv_rest(a, trusted, x, status, c)


cdef int64_t inv_leaf(const run_t *run, real *t, static_int *c) noexcept nogil:
    """Operands: a (t), then x (t), info ()."""
    cdef int n = sizeof(static_int), size = packed_size(n), m
    cdef matrices_t a = vectors(&run.op[0], size), x = vectors(&run.op[1], size)
    cdef lanes_t packed[36]
    cdef lanes_t ax[64]
    cdef lanes_t xx[64]
    cdef status_t status
    cdef int64_t start = 0, failures = 0
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, size, 1, packed, t)
        unpack(packed, n, ax)
        inv_bundle(ax, xx, &status, t, c)
        pack(xx, n, packed)
        scatter(x, start, m, size, 1, packed, t)
        failures += report(&run.op[2], start, m, status.singular, status.undefined)
        start += m
    return failures


cdef lanes_t det_rest(const lanes_t *a, static_int *_) noexcept nogil:
    return det_pivoted(a, sizeof(static_int))


cdef inline lanes_t det_bundle(const lanes_t *a, real *t, static_int *c) noexcept nogil:
    cdef lanes_t minors[12]
    cdef lanes_t det = a[0]
    cdef lane_mask_t trusted = mask_none()
    if static_int is Int1:
        trusted = mask_not(trusted)
    elif static_int is Int2:
        trusted = det2(a, &det, t)
    elif static_int is Int3:
        trusted = expand3(a, minors, &det, t)
    elif static_int is Int4:
        trusted = expand4(a, minors, minors + 6, &det, t)
    if mask_any(mask_not(trusted)):
        det = lanes_select(trusted, det, det_rest(a, c))
    return det


cdef int64_t det_leaf(const run_t *run, real *t, static_int *c) noexcept nogil:
    """Operands: a (t), then det ()."""
    cdef int n = sizeof(static_int), size = packed_size(n), m
    cdef matrices_t a = vectors(&run.op[0], size), d = scalars(&run.op[1])
    cdef lanes_t packed[36]
    cdef lanes_t ax[64]
    cdef lanes_t det
    cdef int64_t start = 0
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, size, 1, packed, t)
        unpack(packed, n, ax)
        det = det_bundle(ax, t, c)
        scatter(d, start, m, 1, 1, &det, t)
        start += m
    return 0


# ------------------------------------------------------------------ table

cdef leaves_t leaves


cdef void enter(int storage, real *_, static_int *__) noexcept:
    cdef int n = sizeof(static_int)
    leaves.leaf[OP_SYM_PACK][storage][n] = <leaf_t> pack_leaf[real, static_int]
    leaves.leaf[OP_SYM_UNPACK][storage][n] = <leaf_t> unpack_leaf[real, static_int]
    leaves.leaf[OP_SYM_MATVEC][storage][n] = <leaf_t> matvec_leaf[real, static_int]
    leaves.leaf[OP_SYM_SOLVE][storage][n] = <leaf_t> solve_leaf[real, static_int]
    leaves.leaf[OP_SYM_INV][storage][n] = <leaf_t> inv_leaf[real, static_int]
    leaves.leaf[OP_SYM_DET][storage][n] = <leaf_t> det_leaf[real, static_int]


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
