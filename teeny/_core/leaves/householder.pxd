"""Householder reflections of bundles, as LAPACK has them: H = I - tau v v', v with a leading 1.

Matrices are lanes row by row. The reflector of step k is kept below the diagonal
of column k, its leading 1 left out; its sign is that of LAPACK, so the diagonal
of R may be negative (Golub and Van Loan, Matrix Computations, 4th ed., sec. 5.1-5.2).
Norms are taken of columns scaled by a power of two: no square leaves the range.
"""

from teeny._core.lanes cimport (lane_mask_t, lanes_abs, lanes_eq, lanes_fill, lanes_gt, lanes_max, lanes_select,
                                lanes_sqrt, lanes_t, lanes_unit_scale, mask_any)


cdef inline lanes_t largest(const lanes_t *x, int n) noexcept nogil:
    cdef lanes_t most = lanes_abs(x[0])
    cdef int i
    for i in range(1, n):
        most = lanes_max(most, lanes_abs(x[i]))
    return most


cdef inline lanes_t reflect(lanes_t *a, int m, int n, int k) noexcept nogil:
    """Column k below row k becomes a reflector and the element of R above it; tau, 0 where there is nothing to do."""
    cdef lanes_t top = a[k * n + k], below = lanes_fill(0.0), squares, scale, diagonal, reciprocal
    cdef lane_mask_t idle
    cdef int i
    for i in range(k + 1, m):
        below = lanes_max(below, lanes_abs(a[i * n + k]))
    idle = lanes_eq(below, lanes_fill(0.0))
    scale = lanes_unit_scale(lanes_max(below, lanes_abs(top)))
    squares = (top * scale) * (top * scale)
    for i in range(k + 1, m):
        squares = squares + (a[i * n + k] * scale) * (a[i * n + k] * scale)
    diagonal = lanes_sqrt(squares)
    diagonal = lanes_select(lanes_gt(lanes_fill(0.0), top), diagonal, -diagonal)
    top = lanes_select(idle, lanes_fill(0.0), top * scale)
    diagonal = lanes_select(idle, lanes_fill(1.0), diagonal)
    reciprocal = lanes_fill(1.0) / (top - diagonal)
    for i in range(k + 1, m):
        a[i * n + k] = (a[i * n + k] * scale) * reciprocal
    a[k * n + k] = lanes_select(idle, a[k * n + k], diagonal / scale)
    return lanes_select(idle, lanes_fill(0.0), (diagonal - top) / diagonal)


cdef inline void apply(const lanes_t *a, int m, int n, int k, lanes_t tau, lanes_t *x, int columns,
                       int first) noexcept nogil:
    """Columns from `first` of x (m x columns) by reflection k of a (m x n)."""
    cdef lanes_t w
    cdef int i, j
    for j in range(first, columns):
        w = x[k * columns + j]
        for i in range(k + 1, m):
            w = w + a[i * n + k] * x[i * columns + j]
        w = w * tau
        x[k * columns + j] = x[k * columns + j] - w
        for i in range(k + 1, m):
            x[i * columns + j] = x[i * columns + j] - a[i * n + k] * w


cdef inline void exchange(lane_mask_t where, lanes_t *x, lanes_t *y, int n, int stride) noexcept nogil:
    cdef lanes_t kept
    cdef int i
    for i in range(n):
        kept = x[i * stride]
        x[i * stride] = lanes_select(where, y[i * stride], kept)
        y[i * stride] = lanes_select(where, kept, y[i * stride])


cdef inline void order_rows(lanes_t *a, int m, int n, lane_mask_t *exchanged) noexcept nogil:
    """Rows by their largest elements: reflections then keep the digits of small ones (Cox and Higham 1998)."""
    cdef lanes_t size[8]
    cdef lane_mask_t larger
    cdef int i, k
    for k in range(m):
        size[k] = largest(a + k * n, n)
    for k in range(m):
        for i in range(k + 1, m):
            larger = exchanged[k * m + i] = lanes_gt(size[i], size[k])
            if mask_any(larger):
                exchange(larger, size + k, size + i, 1, 1)
                exchange(larger, a + k * n, a + i * n, n, 1)


cdef inline void restore_rows(lanes_t *x, int m, int n, const lane_mask_t *exchanged) noexcept nogil:
    """The rows of x (m x n) back to where those of the ordered matrix came from."""
    cdef int i, k
    for k in range(m - 1, -1, -1):
        for i in range(m - 1, k, -1):
            if mask_any(exchanged[k * m + i]):
                exchange(exchanged[k * m + i], x + k * n, x + i * n, n, 1)


cdef inline void pivot_columns(lanes_t *a, int m, int n, int k, lane_mask_t *exchanged) noexcept nogil:
    """The largest of the columns from k on, as far as they lie below row k, becomes column k."""
    cdef lanes_t size[8]
    cdef lane_mask_t larger
    cdef int i, j
    for j in range(k, n):
        size[j] = lanes_abs(a[k * n + j])
        for i in range(k + 1, m):
            size[j] = size[j] + lanes_abs(a[i * n + j])
    for j in range(k + 1, n):
        larger = exchanged[k * n + j] = lanes_gt(size[j], size[k])
        if mask_any(larger):
            exchange(larger, size + k, size + j, 1, 1)
            exchange(larger, a + k, a + j, m, n)


cdef inline void restore_columns(lanes_t *x, int m, int n, const lane_mask_t *exchanged) noexcept nogil:
    """The columns of x (m x n) back to where those of the pivoted matrix came from."""
    cdef int j, k
    for k in range(n - 1, -1, -1):
        for j in range(n - 1, k, -1):
            if mask_any(exchanged[k * n + j]):
                exchange(exchanged[k * n + j], x + k, x + j, m, n)


cdef inline void polish(lanes_t *x, int m, int n) noexcept nogil:
    """X becomes X + X (I - X'X) / 2: what its columns have lost of orthonormality, to second order (Schulz 1933)."""
    cdef lanes_t defect[64]
    cdef lanes_t row[8]
    cdef lanes_t total
    cdef int i, j, k
    for j in range(n):
        for k in range(j + 1):
            total = x[j] * x[k]
            for i in range(1, m):
                total = total + x[i * n + j] * x[i * n + k]
            total = lanes_fill(0.5 if j == k else 0.0) - lanes_fill(0.5) * total
            defect[j * n + k] = total
            defect[k * n + j] = total
    for i in range(m):
        for k in range(n):
            row[k] = x[i * n + k]
        for j in range(n):
            total = row[0] * defect[j]
            for k in range(1, n):
                total = total + row[k] * defect[k * n + j]
            x[i * n + j] = row[j] + total
