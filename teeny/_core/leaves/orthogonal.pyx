"""Leaves by orthogonal factors: QR, singular values, pseudo-inverses, least squares.

Storage is float32 or float64; arithmetic is float64, rounded once. Matrices are
m x n with m, n from 1 to 8 as the run says; a wide one is dealt with as its
transpose, by exchanged strides. Each leaf takes a bundle of cells at a time and is
instantiated once per storage:

    family      storage          sizes       leaves
    qr          float32 float64  any          2
    svd         float32 float64  any          2
    svdvals     float32 float64  any          2
    pinv        float32 float64  any          2
    lstsq       float32 float64  any          2
                                             10 in all

This module is compiled once per instruction set; `table` is all it exports.
"""

from libc.math cimport INFINITY, NAN
from libc.stdint cimport int32_t, int64_t

from cpython.pycapsule cimport PyCapsule_New

from teeny._core.dispatch cimport real
from teeny._core.lanes cimport (lane_mask_t, lanes_abs, lanes_fill, lanes_get, lanes_gt, lanes_select, lanes_t,
                                lanes_unit_scale, mask_and, mask_any, mask_not, mask_or)
from teeny._core.leaves.cells cimport count, gather, matrices, matrices_t, report, scalars, scatter, vectors
from teeny._core.leaves.householder cimport (apply, largest, order_rows, pivot_columns, polish, reflect,
                                             restore_columns, restore_rows)
from teeny._core.leaves.jacobi cimport complete, lengths, orthogonalise
from teeny._core.leaves.table cimport LEAVES, OP_LSTSQ, OP_PINV, OP_QR, OP_SVD, OP_SVDVALS, leaves_t
from teeny._core.run cimport cells_t, leaf_t, run_t

# ------------------------------------------------------------------ cells


cdef inline matrices_t oriented(const cells_t *cells, bint tall, int rows, int cols) noexcept nogil:
    """As rows x cols matrices, which is the transpose of what they are unless `tall`."""
    cdef int64_t turned[2]
    cdef cells_t c = cells[0]
    if not tall:
        turned[0] = cells.strides[1]
        turned[1] = cells.strides[0]
        c.strides = turned
    return matrices(&c, rows, cols)


cdef void load(const matrices_t *a, int64_t start, int m, int rows, int cols, lanes_t *x, real *t) noexcept nogil:
    gather(a[0], start, m, rows, cols, x, t)


cdef void store(const matrices_t *a, int64_t start, int m, int rows, int cols, lanes_t *x, lane_mask_t lost,
                real *t) noexcept nogil:
    """NaN in the lanes that are lost; a zero has no sign, which would tell of the neighbours."""
    cdef int e
    for e in range(rows * cols):
        x[e] = lanes_select(lost, lanes_fill(NAN), x[e] + lanes_fill(0.0))
    scatter(a[0], start, m, rows, cols, x, t)


cdef inline lanes_t normalise(lanes_t *a, int size, lane_mask_t *undefined) noexcept nogil:
    """Scale a by the power of two that is returned; zero where anything is not finite."""
    cdef lanes_t scale = lanes_unit_scale(largest(a, size)), total = lanes_fill(0.0)
    cdef int e
    for e in range(size):
        a[e] = a[e] * scale
        total = total + lanes_abs(a[e])
    undefined[0] = mask_not(lanes_gt(lanes_fill(INFINITY), total))
    if mask_any(undefined[0]):
        for e in range(size):
            a[e] = lanes_select(undefined[0], lanes_fill(0.0), a[e])
    return scale


cdef inline void identity(lanes_t *x, int rows, int cols) noexcept nogil:
    cdef int i, j
    for i in range(rows):
        for j in range(cols):
            x[i * cols + j] = lanes_fill(1.0 if i == j else 0.0)


# --------------------------------------------------------------------- qr


cdef int64_t qr_leaf(const run_t *run, real *t) noexcept nogil:
    """Operands: a (m, n), then q (m, p), r (p, n)."""
    cdef int m = <int> run.op[0].shape[0], n = <int> run.op[0].shape[1], p = <int> run.op[1].shape[1]
    cdef int steps = min(m, n), i, j, k, cells
    cdef matrices_t a = matrices(&run.op[0], m, n), q = matrices(&run.op[1], m, p), r = matrices(&run.op[2], p, n)
    cdef lanes_t ax[64]
    cdef lanes_t qx[64]
    cdef lanes_t rx[64]
    cdef lanes_t tau[8]
    cdef lanes_t scale
    cdef lane_mask_t undefined
    cdef int64_t start = 0
    while start < run.n:
        cells = count(start, run.n)
        load(&a, start, cells, m, n, ax, t)
        scale = normalise(ax, m * n, &undefined)
        for k in range(steps):
            tau[k] = reflect(ax, m, n, k)
            apply(ax, m, n, k, tau[k], ax, n, k + 1)
        identity(qx, m, p)
        for k in range(steps - 1, -1, -1):
            apply(ax, m, n, k, tau[k], qx, p, k)
        for i in range(p):
            for j in range(n):
                rx[i * n + j] = ax[i * n + j] / scale if i <= j else lanes_fill(0.0)
        store(&q, start, cells, m, p, qx, undefined, t)
        store(&r, start, cells, p, n, rx, undefined, t)
        start += cells
    return 0


# ---------------------------------------------------------- singular values


cdef struct factors_t:
    # a scale = u diag(s) v of a bundle of m x n matrices, m >= n: u (m, p), s (n), v (n, n)
    lanes_t u[64]
    lanes_t s[8]
    lanes_t v[64]
    lanes_t scale
    lane_mask_t failed, undefined, lost


cdef inline void decompose_sized(lanes_t *a, int m, int n, int p, bint directions, factors_t *f) noexcept nogil:
    """A = Q R with ordered rows and columns, then rotations of the rows of R, W R = s V: U = Q W'. Overwrites a."""
    cdef lanes_t w[64]
    cdef lanes_t tau[8]
    cdef lane_mask_t rows[64]
    cdef lane_mask_t columns[64]
    cdef int i, k
    f.scale = normalise(a, m * n, &f.undefined)
    order_rows(a, m, n, rows)
    for k in range(n):
        pivot_columns(a, m, n, k, columns)
        tau[k] = reflect(a, m, n, k)
        apply(a, m, n, k, tau[k], a, n, k + 1)
    for k in range(n):
        for i in range(n):
            f.v[k * n + i] = a[k * n + i] if i >= k else lanes_fill(0.0)
    if directions:
        identity(w, n, n)
    f.failed = orthogonalise(f.v, w, n, directions)
    f.lost = mask_or(f.failed, f.undefined)
    lengths(f.v, w, n, directions, f.s)
    if not directions:
        return
    complete(f.v, n, f.s)
    restore_columns(f.v, n, n, columns)
    identity(f.u, m, p)
    for k in range(n):
        for i in range(n):
            f.u[i * p + k] = w[k * n + i]
    for k in range(n - 1, -1, -1):
        apply(a, m, n, k, tau[k], f.u, p, 0)
    restore_rows(f.u, m, p, rows)
    polish(f.u, m, p)


cdef void decompose_2(lanes_t *a, bint directions, factors_t *f) noexcept nogil:
    decompose_sized(a, 2, 2, 2, directions, f)


cdef void decompose_3(lanes_t *a, bint directions, factors_t *f) noexcept nogil:
    decompose_sized(a, 3, 3, 3, directions, f)


cdef void decompose_any(lanes_t *a, int m, int n, int p, bint directions, factors_t *f) noexcept nogil:
    decompose_sized(a, m, n, p, directions, f)


cdef void decompose(lanes_t *a, int m, int n, int p, bint directions, factors_t *f) noexcept nogil:
    if m == 3 and n == 3:
        decompose_3(a, directions, f)
    elif m == 2 and n == 2:
        decompose_2(a, directions, f)
    else:
        decompose_any(a, m, n, p, directions, f)


cdef int64_t svd_leaf(const run_t *run, real *t) noexcept nogil:
    """Operands: a (m, n), then u (m, p), s (r), vh (q, n), info ()."""
    cdef bint tall = run.op[0].shape[0] >= run.op[0].shape[1]
    cdef int rows = <int> run.op[0].shape[0 if tall else 1], cols = <int> run.op[0].shape[1 if tall else 0]
    cdef const cells_t *left = &run.op[1 if tall else 3]
    cdef const cells_t *right = &run.op[3 if tall else 1]
    cdef int p = <int> left.shape[1 if tall else 0]
    cdef matrices_t a = oriented(&run.op[0], tall, rows, cols), s = vectors(&run.op[2], cols)
    cdef matrices_t u = oriented(left, tall, rows, p), v = oriented(right, tall, cols, cols)
    cdef lanes_t ax[64]
    cdef factors_t f
    cdef int64_t start = 0, failures = 0
    cdef int k, m
    while start < run.n:
        m = count(start, run.n)
        load(&a, start, m, rows, cols, ax, t)
        decompose(ax, rows, cols, p, True, &f)
        for k in range(cols):
            f.s[k] = f.s[k] / f.scale
        store(&u, start, m, rows, p, f.u, f.lost, t)
        store(&s, start, m, cols, 1, f.s, f.lost, t)
        store(&v, start, m, cols, cols, f.v, f.lost, t)
        failures += report(&run.op[4], start, m, f.failed, f.undefined)
        start += m
    return failures


cdef int64_t svdvals_leaf(const run_t *run, real *t) noexcept nogil:
    """Operands: a (m, n), then s (r), info ()."""
    cdef bint tall = run.op[0].shape[0] >= run.op[0].shape[1]
    cdef int rows = <int> run.op[0].shape[0 if tall else 1], cols = <int> run.op[0].shape[1 if tall else 0]
    cdef matrices_t a = oriented(&run.op[0], tall, rows, cols), s = vectors(&run.op[1], cols)
    cdef lanes_t ax[64]
    cdef factors_t f
    cdef int64_t start = 0, failures = 0
    cdef int k, m
    while start < run.n:
        m = count(start, run.n)
        load(&a, start, m, rows, cols, ax, t)
        decompose(ax, rows, cols, cols, False, &f)
        for k in range(cols):
            f.s[k] = f.s[k] / f.scale
        store(&s, start, m, cols, 1, f.s, f.lost, t)
        failures += report(&run.op[2], start, m, f.failed, f.undefined)
        start += m
    return failures


# ----------------------------------------------- pseudo-inverse, least squares


cdef inline lanes_t weigh(factors_t *f, int n, lanes_t rtol, lanes_t *weight) noexcept nogil:
    """1 / s where s is above rtol times the largest, else 0; how many are."""
    cdef lanes_t rank = lanes_fill(0.0), zero = rank, one = lanes_fill(1.0)
    cdef lane_mask_t kept
    cdef int k
    for k in range(n):
        kept = mask_and(lanes_gt(f.s[k], rtol * f.s[0]), lanes_gt(f.s[k], zero))
        weight[k] = lanes_select(kept, one / lanes_select(kept, f.s[k], one), zero)
        rank = rank + lanes_select(kept, one, zero)
    return rank


cdef int64_t pinv_leaf(const run_t *run, real *t) noexcept nogil:
    """Operands: a (m, n), rtol (), then x (n, m), info ()."""
    cdef bint tall = run.op[0].shape[0] >= run.op[0].shape[1]
    cdef int rows = <int> run.op[0].shape[0 if tall else 1], cols = <int> run.op[0].shape[1 if tall else 0]
    cdef matrices_t a = oriented(&run.op[0], tall, rows, cols), tolerance = scalars(&run.op[1])
    cdef matrices_t x = oriented(&run.op[2], tall, cols, rows)
    cdef lanes_t ax[64]
    cdef lanes_t xx[64]
    cdef lanes_t weight[8]
    cdef lanes_t rtol, total
    cdef factors_t f
    cdef int64_t start = 0, failures = 0
    cdef int i, j, k, m
    while start < run.n:
        m = count(start, run.n)
        load(&a, start, m, rows, cols, ax, t)
        load(&tolerance, start, m, 1, 1, &rtol, t)
        decompose(ax, rows, cols, cols, True, &f)
        weigh(&f, cols, rtol, weight)
        for i in range(cols):
            for k in range(cols):
                ax[k] = f.v[k * cols + i] * weight[k]
            for j in range(rows):
                total = ax[0] * f.u[j * cols]
                for k in range(1, cols):
                    total = total + ax[k] * f.u[j * cols + k]
                xx[i * rows + j] = total * f.scale
        store(&x, start, m, cols, rows, xx, f.lost, t)
        failures += report(&run.op[3], start, m, f.failed, f.undefined)
        start += m
    return failures


cdef int64_t lstsq_leaf(const run_t *run, real *t) noexcept nogil:
    """Operands: a (m, n), b (m, k), rtol (), then x (n, k), residuals (k), rank (), s (r), info ()."""
    cdef bint tall = run.op[0].shape[0] >= run.op[0].shape[1]
    cdef int rows = <int> run.op[0].shape[0 if tall else 1], cols = <int> run.op[0].shape[1 if tall else 0]
    cdef int equations = <int> run.op[0].shape[0], unknowns = <int> run.op[0].shape[1]
    cdef matrices_t a = oriented(&run.op[0], tall, rows, cols), tolerance = scalars(&run.op[2])
    cdef matrices_t b = matrices(&run.op[1], equations, 1), x = matrices(&run.op[3], unknowns, 1)
    cdef matrices_t residuals = scalars(&run.op[4]), s = vectors(&run.op[6], cols)
    cdef char *b0 = b.data
    cdef char *x0 = x.data
    cdef char *residuals0 = residuals.data
    cdef lanes_t ax[64]
    cdef lanes_t bx[8]
    cdef lanes_t xx[8]
    cdef lanes_t weight[8]
    cdef lanes_t rtol, rank, square
    cdef factors_t f
    cdef int64_t column, start = 0, failures = 0
    cdef int k, m
    while start < run.n:
        m = count(start, run.n)
        load(&a, start, m, rows, cols, ax, t)
        load(&tolerance, start, m, 1, 1, &rtol, t)
        decompose(ax, rows, cols, cols, True, &f)
        rank = lanes_select(f.lost, lanes_fill(0.0), weigh(&f, cols, rtol, weight))
        for column in range(run.op[1].shape[1]):
            b.data = b0 + column * run.op[1].strides[1] * <int64_t> sizeof(real)
            x.data = x0 + column * run.op[3].strides[1] * <int64_t> sizeof(real)
            residuals.data = residuals0 + column * run.op[4].strides[0] * <int64_t> sizeof(real)
            load(&b, start, m, equations, 1, bx, t)
            square = solve_column(&f, tall, rows, cols, weight, bx, xx)
            store(&x, start, m, unknowns, 1, xx, f.lost, t)
            store(&residuals, start, m, 1, 1, &square, f.lost, t)
        for k in range(m):
            (<int32_t *> run.op[5].data)[(start + k) * run.op[5].step] = <int32_t> lanes_get(rank, k)
        for k in range(cols):
            f.s[k] = f.s[k] / f.scale
        store(&s, start, m, cols, 1, f.s, f.lost, t)
        failures += report(&run.op[7], start, m, f.failed, f.undefined)
        start += m
    return failures


cdef lanes_t solve_column(factors_t *f, bint tall, int rows, int cols, const lanes_t *weight, lanes_t *b,
                          lanes_t *x) noexcept nogil:
    """x of least length with the least |b - A x|, whose square is returned; b becomes what is left of it, scaled."""
    cdef int equations = rows if tall else cols, unknowns = cols if tall else rows
    # A = L S R by elements: L[i, k] = left[i * left_row + k * left_col], R[k, j] alike
    cdef const lanes_t *left = &f.u[0] if tall else &f.v[0]
    cdef const lanes_t *right = &f.v[0] if tall else &f.u[0]
    cdef int left_row = cols if tall else 1, left_col = 1 if tall else cols
    cdef int right_row = cols if tall else 1, right_col = 1 if tall else cols
    cdef lanes_t scale = lanes_unit_scale(largest(b, equations)), along, zero = lanes_fill(0.0), square = zero
    cdef int i, j, k
    for i in range(equations):
        b[i] = b[i] * scale
    for j in range(unknowns):
        x[j] = zero
    for k in range(cols):
        along = zero
        for i in range(equations):
            along = along + left[i * left_row + k * left_col] * b[i]
        along = lanes_select(lanes_gt(weight[k], zero), along, zero)
        for i in range(equations):
            b[i] = b[i] - left[i * left_row + k * left_col] * along
        along = along * weight[k]
        for j in range(unknowns):
            x[j] = x[j] + right[k * right_row + j * right_col] * along
    for j in range(unknowns):
        x[j] = (x[j] * f.scale) / scale
    for i in range(equations):
        square = square + (b[i] / scale) * (b[i] / scale)
    return square


# ------------------------------------------------------------------- table

cdef leaves_t leaves


cdef void enter(int storage, real *_) noexcept:
    leaves.leaf[OP_QR][storage][0] = <leaf_t> qr_leaf[real]
    leaves.leaf[OP_SVD][storage][0] = <leaf_t> svd_leaf[real]
    leaves.leaf[OP_SVDVALS][storage][0] = <leaf_t> svdvals_leaf[real]
    leaves.leaf[OP_PINV][storage][0] = <leaf_t> pinv_leaf[real]
    leaves.leaf[OP_LSTSQ][storage][0] = <leaf_t> lstsq_leaf[real]


enter(0, <float *> NULL)
enter(1, <double *> NULL)


def table():
    """The leaves of this instruction set: a capsule around a ``leaves_t``."""
    return PyCapsule_New(&leaves, LEAVES, NULL)
