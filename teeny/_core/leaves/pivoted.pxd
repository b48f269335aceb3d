"""Gaussian elimination with partial pivoting, each lane pivoting for itself.

Row exchanges are selections: row k meets every row below it and keeps the larger
leading element, so each lane sees its own sequence of exchanges and the masks
record it. A zero pivot marks its lane singular and is replaced by 1, which keeps
that lane free of infinities and of floating-point flags; its results are
discarded by the caller.

Every loop runs over 0 ... n-1 and skips what it need not do: n is a constant of
the leaf, so the compiler unrolls them all and nothing of the skipping remains.
"""

from teeny._core.lanes cimport (lane_mask_t, lanes_abs, lanes_eq, lanes_fill, lanes_gt, lanes_max, lanes_min, lanes_select,
                                lanes_t, mask_and, mask_none, mask_or)

cdef extern from *:
    """
    /* a product of pivots is taken as it comes while all of it stays between these */
    #define TEENY_LOW 0x1p-900
    #define TEENY_HIGH 0x1p900
    """
    const double LOW "TEENY_LOW"
    const double HIGH "TEENY_HIGH"


cdef inline void exchange(lane_mask_t where, lanes_t *x, lanes_t *y) noexcept nogil:
    cdef lanes_t kept = x[0]
    x[0] = lanes_select(where, y[0], kept)
    y[0] = lanes_select(where, kept, y[0])


cdef inline lane_mask_t factorise(lanes_t *a, int n, lane_mask_t *exchanged) noexcept nogil:
    """PA = LU in place (n x n, unit lower L); exchanged[k n + i]: rows k and i were. The singular lanes."""
    cdef lane_mask_t singular = mask_none(), zero
    cdef lanes_t column[8]
    cdef lanes_t top
    cdef int i, j, k
    for k in range(n):
        top = a[k * n + k]
        for i in range(n):
            if i > k:
                exchanged[k * n + i] = lanes_gt(lanes_abs(a[i * n + k]), lanes_abs(top))
                exchange(exchanged[k * n + i], &top, &a[i * n + k])
        zero = lanes_eq(top, lanes_fill(0.0))
        singular = mask_or(singular, zero)
        top = lanes_select(zero, lanes_fill(1.0), top)
        a[k * n + k] = top
        for i in range(n):
            if i > k:
                a[i * n + k] = a[i * n + k] / top
        # the other columns, one at a time in registers
        for j in range(n):
            if j != k:
                top = a[k * n + j]
                for i in range(n):
                    if i > k:
                        column[i] = a[i * n + j]
                        exchange(exchanged[k * n + i], &top, &column[i])
                a[k * n + j] = top
                for i in range(n):
                    if i > k:
                        a[i * n + j] = column[i] - a[i * n + k] * top if j > k else column[i]
    return singular


cdef inline lanes_t exchange_sign(lanes_t product, int n, const lane_mask_t *exchanged) noexcept nogil:
    cdef int i, k
    for k in range(n):
        for i in range(n):
            if i > k:
                product = lanes_select(exchanged[k * n + i], -product, product)
    return product


cdef inline lane_mask_t determinant(const lanes_t *lu, int n, const lane_mask_t *exchanged,
                                     lanes_t *det) noexcept nogil:
    """Product of the pivots, with the sign of the exchanges; the lanes where all of it stays in range."""
    cdef lanes_t product = lu[0], low = lanes_abs(lu[0]), high = low
    cdef int k
    for k in range(n):
        if k > 0:
            product = product * lu[k * n + k]
            low = lanes_min(low, lanes_abs(product))
            high = lanes_max(high, lanes_abs(product))
    det[0] = exchange_sign(product, n, exchanged)
    return mask_and(lanes_gt(low, lanes_fill(LOW)), lanes_gt(lanes_fill(HIGH), high))


cdef inline void substitute(const lanes_t *lu, int n, lanes_t *b) noexcept nogil:
    """b becomes U^-1 L^-1 b."""
    cdef int i, k
    for k in range(n):
        for i in range(n):
            if i > k:
                b[i] = b[i] - lu[i * n + k] * b[k]
    for k in range(n - 1, -1, -1):
        b[k] = b[k] / lu[k * n + k]
        for i in range(n):
            if i < k:
                b[i] = b[i] - lu[i * n + k] * b[k]


cdef inline void permute(int n, const lane_mask_t *exchanged, lanes_t *b) noexcept nogil:
    """b becomes P b."""
    cdef int i, k
    for k in range(n):
        for i in range(n):
            if i > k:
                exchange(exchanged[k * n + i], &b[k], &b[i])


cdef inline void invert(const lanes_t *lu, int n, const lane_mask_t *exchanged, lanes_t *x) noexcept nogil:
    """x = U^-1 L^-1 P, column by column."""
    cdef lanes_t row[8]
    cdef lanes_t reciprocal[8]
    cdef lanes_t b[8]
    cdef int i, j, k
    for k in range(n):
        row[k] = lanes_fill(k)
        reciprocal[k] = lanes_fill(1.0) / lu[k * n + k]
    permute(n, exchanged, row)
    for j in range(n):
        for k in range(n):
            b[k] = lanes_select(lanes_eq(row[k], lanes_fill(j)), lanes_fill(1.0), lanes_fill(0.0))
        for k in range(n):
            for i in range(n):
                if i > k:
                    b[i] = b[i] - lu[i * n + k] * b[k]
        for k in range(n - 1, -1, -1):
            b[k] = b[k] * reciprocal[k]
            x[k * n + j] = b[k]
            for i in range(n):
                if i < k:
                    b[i] = b[i] - lu[i * n + k] * b[k]
