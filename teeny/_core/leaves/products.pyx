"""Leaves of products: matrices and vectors with each other, and the trace.

float32 is multiplied and added in float32, in bundles of twice the lanes. Every
element is a sum of products taken from left to right, so its bits depend neither
on the size a leaf was compiled for nor on the instruction set.

    family    storage          sizes                     leaves
    matmul    float32 float64  1 ... 8, any up to 8      18
    matvec    float32 float64  1 ... 8, any up to 8      18
    vecmat    float32 float64  1 ... 8, any up to 8      18
    outer     float32 float64  1 ... 8, any up to 8      18
    trace     float32 float64  any up to 8               2
                                                         74 in all

The straight-line code of a size is for cells that follow each other in memory; up
to 3 x 3, for any strides. Everything else shares one loop per type. This module is
compiled once per instruction set; `table` is all it exports.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int64_t

from teeny._core.dispatch cimport Int1, Int2, Int3, Int4, Int5, Int6, Int7, Int8, real, static_int
from teeny._core.lanes cimport LANES, PACKED, gather_f64, lanes_t, scatter_f64
from teeny._core.lanes32 cimport LANES32, gather_lanes32, lanes32_t, scatter_lanes32
from teeny._core.leaves.cells cimport count, gather, matrices, matrices_t, packed, scalars, scatter, vectors
from teeny._core.leaves.table cimport LEAVES, OP_MATMUL, OP_MATVEC, OP_OUTER, OP_TRACE, OP_VECMAT, leaves_t
from teeny._core.run cimport cells_t, leaf_t, run_t

# What computes float32 cells, and what computes float64 cells.
ctypedef fused bundle_t:
    lanes32_t
    lanes_t

cdef inline void read(matrices_t a, int64_t start, int m, int rows, int cols, bundle_t *x) noexcept nogil:
    if bundle_t is lanes32_t:
        gather_lanes32(<float *> a.data + start * a.step, a.step, m, a.order, rows, cols, a.row_stride, a.col_stride, x)
    else:
        gather_f64(<double *> a.data + start * a.step, a.step, m, a.order, rows, cols, a.row_stride, a.col_stride, x)


cdef inline void write(matrices_t a, int64_t start, int m, int rows, int cols, const bundle_t *x) noexcept nogil:
    if bundle_t is lanes32_t:
        scatter_lanes32(<float *> a.data + start * a.step, a.step, m, a.order, rows, cols, a.row_stride, a.col_stride,
                        x)
    else:
        scatter_f64(<double *> a.data + start * a.step, a.step, m, a.order, rows, cols, a.row_stride, a.col_stride, x)


cdef void read_any(matrices_t a, int64_t start, int m, int rows, int cols, bundle_t *x) noexcept nogil:
    read(a, start, m, rows, cols, x)


cdef void write_any(matrices_t a, int64_t start, int m, int rows, int cols, const bundle_t *x) noexcept nogil:
    write(a, start, m, rows, cols, x)


cdef inline void multiply(const bundle_t *a, const bundle_t *b, bundle_t *c, int m, int l, int n) noexcept nogil:
    """c (m, n) = a (m, l) b (l, n)"""
    cdef bundle_t row[8]
    cdef bundle_t total
    cdef int i, j, k
    for i in range(m):
        for k in range(l):
            row[k] = a[i * l + k]
        for j in range(n):
            total = row[0] * b[j]
            for k in range(1, l):
                total = total + row[k] * b[k * n + j]
            c[i * n + j] = total


cdef void multiply_terms(const bundle_t *a, const bundle_t *b, bundle_t *c, int m, int l, int n) noexcept nogil:
    if l == 1:
        multiply(a, b, c, m, 1, n)
    elif l == 2:
        multiply(a, b, c, m, 2, n)
    elif l == 3:
        multiply(a, b, c, m, 3, n)
    elif l == 4:
        multiply(a, b, c, m, 4, n)
    elif l == 5:
        multiply(a, b, c, m, 5, n)
    elif l == 6:
        multiply(a, b, c, m, 6, n)
    elif l == 7:
        multiply(a, b, c, m, 7, n)
    else:
        multiply(a, b, c, m, 8, n)


cdef inline void multiply_cells(matrices_t a, matrices_t b, matrices_t c, int m, int l, int n, int width,
                                int64_t cells, bundle_t *_) noexcept nogil:
    """c = a b for so many cells, in bundles of `width`; the sizes are constants."""
    cdef bundle_t ax[64]
    cdef bundle_t bx[64]
    cdef bundle_t cx[64]
    cdef int64_t start = 0
    if a.step == 0:  # one for all cells is read once
        read(a, 0, width, m, l, ax)
    if b.step == 0:
        read(b, 0, width, l, n, bx)
    while start < cells:
        if a.step != 0:
            read(a, start, width, m, l, ax)
        if b.step != 0:
            read(b, start, width, l, n, bx)
        multiply(ax, bx, cx, m, l, n)
        write(c, start, width, m, n, cx)
        start += width


cdef void multiply_any(matrices_t a, matrices_t b, matrices_t c, int m, int l, int n, int64_t cells,
                       bundle_t *_) noexcept nogil:
    """The same for sizes that are not, and any number of cells."""
    cdef bundle_t ax[64]
    cdef bundle_t bx[64]
    cdef bundle_t cx[64]
    cdef int most = LANES32 if bundle_t is lanes32_t else LANES
    cdef int64_t start = 0
    cdef int width
    while start < cells:
        width = most if cells - start >= most else <int> (cells - start)
        if start == 0 or a.step != 0:
            read_any(a, start, width, m, l, ax)
        if start == 0 or b.step != 0:
            read_any(b, start, width, l, n, bx)
        multiply_terms(ax, bx, cx, m, l, n)
        write_any(c, start, width, m, n, cx)
        start += width


cdef inline matrices_t advance(matrices_t a, int64_t cells, bundle_t *_) noexcept nogil:
    a.data += cells * a.step * <int64_t> (sizeof(float) if bundle_t is lanes32_t else sizeof(double))
    return a


cdef inline matrices_t single(matrices_t a) noexcept nogil:
    a.step = 0
    return a


cdef inline int64_t product(const run_t *run, matrices_t a, matrices_t b, matrices_t c, int m, int l, int n,
                            bint is_static, bundle_t *t) noexcept nogil:
    """c (m, n) = a (m, l) b (l, n) for all cells; `is_static` where the sizes are constants."""
    cdef int width = LANES32 if bundle_t is lanes32_t else LANES
    cdef int64_t whole = run.n - run.n % width
    cdef bint small = is_static and m <= 3 and l <= 3 and n <= 3
    if is_static and c.order == PACKED and a.order == PACKED and b.order == PACKED:
        multiply_cells(packed(a, m * l), packed(b, l * n), packed(c, m * n), m, l, n, width, whole, t)
    elif small and c.order == PACKED and b.order == PACKED and a.step == 0:
        multiply_cells(single(a), packed(b, l * n), packed(c, m * n), m, l, n, width, whole, t)
    elif small and c.order == PACKED and a.order == PACKED and b.step == 0:
        multiply_cells(packed(a, m * l), single(b), packed(c, m * n), m, l, n, width, whole, t)
    elif small:
        multiply_cells(a, b, c, m, l, n, width, whole, t)
    else:
        whole = 0
    multiply_any(advance(a, whole, t), advance(b, whole, t), advance(c, whole, t), m, l, n, run.n - whole, t)
    return 0


cdef inline matrices_t rows(const cells_t *cells, int size) noexcept nogil:
    """Vectors as matrices of one row."""
    cdef matrices_t m = vectors(cells, size)
    m.row_stride = size
    m.col_stride = cells.strides[0]
    return m


# A leaf of each operation, for sizes that are constants or have been read from the run.


cdef inline int64_t matmul(const run_t *run, int m, int l, int n, bint is_static, bundle_t *t) noexcept nogil:
    """Operands: a (m, l), b (l, n), then c (m, n)."""
    return product(run, matrices(&run.op[0], m, l), matrices(&run.op[1], l, n), matrices(&run.op[2], m, n), m, l, n,
                   is_static, t)


cdef inline int64_t matvec(const run_t *run, int m, int n, bint is_static, bundle_t *t) noexcept nogil:
    """Operands: a (m, n), x (n), then y (m)."""
    return product(run, matrices(&run.op[0], m, n), vectors(&run.op[1], n), vectors(&run.op[2], m), m, n, 1,
                   is_static, t)


cdef inline int64_t vecmat(const run_t *run, int m, int n, bint is_static, bundle_t *t) noexcept nogil:
    """Operands: x (m), a (m, n), then y (n)."""
    return product(run, rows(&run.op[0], m), matrices(&run.op[1], m, n), rows(&run.op[2], n), 1, m, n,
                   is_static, t)


cdef inline int64_t outer(const run_t *run, int m, int n, bint is_static, bundle_t *t) noexcept nogil:
    """Operands: x (m), y (n), then c (m, n)."""
    return product(run, vectors(&run.op[0], m), rows(&run.op[1], n), matrices(&run.op[2], m, n), m, 1, n,
                   is_static, t)


cdef int64_t matmul_leaf(const run_t *run, bundle_t *t, static_int *_) noexcept nogil:
    return matmul(run, sizeof(static_int), sizeof(static_int), sizeof(static_int), True, t)


cdef int64_t matvec_leaf(const run_t *run, bundle_t *t, static_int *_) noexcept nogil:
    return matvec(run, sizeof(static_int), sizeof(static_int), True, t)


cdef int64_t vecmat_leaf(const run_t *run, bundle_t *t, static_int *_) noexcept nogil:
    return vecmat(run, sizeof(static_int), sizeof(static_int), True, t)


cdef int64_t outer_leaf(const run_t *run, bundle_t *t, static_int *_) noexcept nogil:
    return outer(run, sizeof(static_int), sizeof(static_int), True, t)


cdef int64_t any_matmul_leaf(const run_t *run, bundle_t *t) noexcept nogil:
    return matmul(run, <int> run.op[0].shape[0], <int> run.op[0].shape[1], <int> run.op[1].shape[1], False, t)


cdef int64_t any_matvec_leaf(const run_t *run, bundle_t *t) noexcept nogil:
    return matvec(run, <int> run.op[0].shape[0], <int> run.op[0].shape[1], False, t)


cdef int64_t any_vecmat_leaf(const run_t *run, bundle_t *t) noexcept nogil:
    return vecmat(run, <int> run.op[1].shape[0], <int> run.op[1].shape[1], False, t)


cdef int64_t any_outer_leaf(const run_t *run, bundle_t *t) noexcept nogil:
    return outer(run, <int> run.op[0].shape[0], <int> run.op[1].shape[0], False, t)


cdef int64_t any_trace_leaf(const run_t *run, real *t) noexcept nogil:
    """Operands: a (m, n), then t (). A sum, so float32 is added up in float64."""
    cdef cells_t diagonal = run.op[0]
    cdef int64_t stride = diagonal.strides[0] + diagonal.strides[1]
    cdef int size = <int> min(diagonal.shape[0], diagonal.shape[1])
    cdef matrices_t a, sums = scalars(&run.op[1])
    cdef lanes_t ax[8]
    cdef lanes_t total
    cdef int64_t start = 0
    cdef int k, m
    diagonal.strides = &stride
    a = vectors(&diagonal, size)
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, size, 1, ax, t)
        total = ax[0]
        for k in range(1, size):
            total = total + ax[k]
        scatter(sums, start, m, 1, 1, &total, t)
        start += m
    return 0


cdef leaves_t leaves


cdef void enter(int storage, bundle_t *_, static_int *__) noexcept:
    cdef int n = sizeof(static_int)
    if LANES == 8 and storage == 1 and n >= 4:
        return  # to the instruction set below: bundles of so many bytes come too slowly from memory
    leaves.leaf[OP_MATMUL][storage][n] = <leaf_t> matmul_leaf[bundle_t, static_int]
    leaves.leaf[OP_MATVEC][storage][n] = <leaf_t> matvec_leaf[bundle_t, static_int]
    leaves.leaf[OP_VECMAT][storage][n] = <leaf_t> vecmat_leaf[bundle_t, static_int]
    leaves.leaf[OP_OUTER][storage][n] = <leaf_t> outer_leaf[bundle_t, static_int]


cdef void enter_sizes(int storage, bundle_t *t) noexcept:
    leaves.leaf[OP_MATMUL][storage][0] = <leaf_t> any_matmul_leaf[bundle_t]
    leaves.leaf[OP_MATVEC][storage][0] = <leaf_t> any_matvec_leaf[bundle_t]
    leaves.leaf[OP_VECMAT][storage][0] = <leaf_t> any_vecmat_leaf[bundle_t]
    leaves.leaf[OP_OUTER][storage][0] = <leaf_t> any_outer_leaf[bundle_t]
    enter(storage, t, <Int1 *> NULL)
    enter(storage, t, <Int2 *> NULL)
    enter(storage, t, <Int3 *> NULL)
    enter(storage, t, <Int4 *> NULL)
    enter(storage, t, <Int5 *> NULL)
    enter(storage, t, <Int6 *> NULL)
    enter(storage, t, <Int7 *> NULL)
    enter(storage, t, <Int8 *> NULL)


enter_sizes(0, <lanes32_t *> NULL)
enter_sizes(1, <lanes_t *> NULL)
leaves.leaf[OP_TRACE][0][0] = <leaf_t> any_trace_leaf[float]
leaves.leaf[OP_TRACE][1][0] = <leaf_t> any_trace_leaf[double]


def table():
    """The leaves of this instruction set: a capsule around a ``leaves_t``."""
    return PyCapsule_New(&leaves, LEAVES, NULL)
