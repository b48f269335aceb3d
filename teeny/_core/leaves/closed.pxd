"""Closed forms up to 4 x 4, and the test that says which lanes may use them.

A 2 x 2 minor is a difference of two products. Products of float32 numbers are
exact in float64; for float64 the rounding errors of both products are added back,
so every minor is right to about an ulp whatever cancels (Kahan's difference of
products; see Jeannerod, Louvet and Muller, Math. Comp. 82, 2013). At 3 x 3 minors
are the cofactors, at 4 x 4 a cofactor is a sum of three terms with minors; what
is left of the determinant beside its terms says how many digits have been lost,
and only one that hardly cancels is trusted.
"""

from teeny._core.dispatch cimport real
from teeny._core.lanes cimport (lane_mask_t, lanes_abs, lanes_eq, lanes_fill, lanes_gt, lanes_max, lanes_min,
                                lanes_mul_error, lanes_select, lanes_t, mask_and, mask_any, mask_none, mask_not)

cdef extern from *:
    """
    /* How small a determinant may be beside the sum of its terms. At 2 x 2 its digits do not
     * depend on it, and elimination is left to decide what is singular; beyond, they do. */
    #define TEENY_CANCELLED_2 0x1p-40
    #define TEENY_CANCELLED_F32 0x1p-20
    #define TEENY_CANCELLED_3 0x1p-7
    #define TEENY_CANCELLED_4 0x1p-5
    /* Within these limits no product of float64 entries, and no error term of one,
     * leaves the range of the type; float32 entries cannot. */
    #define TEENY_LARGEST_ENTRY 0x1p100
    #define TEENY_SMALLEST_ENTRY 0x1p-480
    #define TEENY_SMALLEST_DETERMINANT 0x1p-800
    """
    const double CANCELLED_2 "TEENY_CANCELLED_2"
    const double CANCELLED_F32 "TEENY_CANCELLED_F32"
    const double CANCELLED_3 "TEENY_CANCELLED_3"
    const double CANCELLED_4 "TEENY_CANCELLED_4"
    const double LARGEST_ENTRY "TEENY_LARGEST_ENTRY"
    const double SMALLEST_ENTRY "TEENY_SMALLEST_ENTRY"
    const double SMALLEST_DETERMINANT "TEENY_SMALLEST_DETERMINANT"


cdef inline lanes_t difference(lanes_t a, lanes_t b, lanes_t c, lanes_t d, real *_) noexcept nogil:
    """a b - c d"""
    cdef lanes_t p = a * b, q = c * d
    if real is float:
        return p - q
    else:
        return (p - q) + (lanes_mul_error(a, b, p) - lanes_mul_error(c, d, q))


cdef inline lane_mask_t ordinary(const lanes_t *a, int size) noexcept nogil:
    """Lanes whose entries are in range, or zero."""
    cdef lanes_t smallest = lanes_abs(a[0]), largest = smallest, zero = lanes_fill(0.0)
    cdef lane_mask_t ok
    cdef int e
    for e in range(1, size):
        largest = lanes_max(largest, lanes_abs(a[e]))
        smallest = lanes_min(smallest, lanes_abs(a[e]))
    ok = lanes_gt(smallest, lanes_fill(SMALLEST_ENTRY))
    if mask_any(mask_not(ok)):
        ok = mask_not(mask_none())
        for e in range(size):
            smallest = lanes_abs(a[e])
            smallest = lanes_select(lanes_eq(smallest, zero), lanes_fill(1.0), smallest)
            ok = mask_and(ok, lanes_gt(smallest, lanes_fill(SMALLEST_ENTRY)))
    return mask_and(ok, lanes_gt(lanes_fill(LARGEST_ENTRY), largest))


cdef inline lane_mask_t trusted(const lanes_t *a, int size, lanes_t det, lanes_t terms, double cancelled,
                                real *_) noexcept nogil:
    """Lanes whose closed form stands: in range, and not cancelled too far. False for NaN."""
    cdef lane_mask_t ok = lanes_gt(lanes_abs(det), lanes_fill(cancelled) * terms)
    if real is double:
        ok = mask_and(ok, lanes_gt(lanes_abs(det), lanes_fill(SMALLEST_DETERMINANT)))
        ok = mask_and(ok, ordinary(a, size))
    return ok


cdef inline lane_mask_t det2(const lanes_t *a, lanes_t *det, real *t) noexcept nogil:
    det[0] = difference(a[0], a[3], a[1], a[2], t)
    return trusted(a, 4, det[0], lanes_abs(a[0] * a[3]) + lanes_abs(a[1] * a[2]), CANCELLED_2, t)


cdef inline lane_mask_t inv2(const lanes_t *a, lanes_t *x, real *t) noexcept nogil:
    cdef lanes_t det, scale, zero = lanes_fill(0.0)
    cdef lane_mask_t ok = det2(a, &det, t)
    scale = lanes_fill(1.0) / det
    x[0] = a[3] * scale
    x[1] = (zero - a[1]) * scale  # no negative zeros out of positive ones
    x[2] = (zero - a[2]) * scale
    x[3] = a[0] * scale
    return ok


cdef inline lane_mask_t expand3(const lanes_t *a, lanes_t *cofactor, lanes_t *det, real *t) noexcept nogil:
    """The determinant by its first row, whose three cofactors are kept."""
    cdef lanes_t p, q, r
    cofactor[0] = difference(a[4], a[8], a[5], a[7], t)
    cofactor[1] = difference(a[5], a[6], a[3], a[8], t)
    cofactor[2] = difference(a[3], a[7], a[4], a[6], t)
    p = a[0] * cofactor[0]
    q = a[1] * cofactor[1]
    r = a[2] * cofactor[2]
    det[0] = (p + q) + r
    return trusted(a, 9, det[0], (lanes_abs(p) + lanes_abs(q)) + lanes_abs(r),
                   CANCELLED_F32 if real is float else CANCELLED_3, t)


cdef inline lane_mask_t inv3(const lanes_t *a, lanes_t *x, real *t) noexcept nogil:
    cdef lanes_t first[3]
    cdef lanes_t det, scale
    cdef lane_mask_t ok = expand3(a, first, &det, t)
    scale = lanes_fill(1.0) / det
    x[0] = first[0] * scale
    x[3] = first[1] * scale
    x[6] = first[2] * scale
    x[1] = difference(a[2], a[7], a[1], a[8], t) * scale
    x[4] = difference(a[0], a[8], a[2], a[6], t) * scale
    x[7] = difference(a[1], a[6], a[0], a[7], t) * scale
    x[2] = difference(a[1], a[5], a[2], a[4], t) * scale
    x[5] = difference(a[2], a[3], a[0], a[5], t) * scale
    x[8] = difference(a[0], a[4], a[1], a[3], t) * scale
    return ok


cdef inline lane_mask_t solve2(const lanes_t *a, const lanes_t *b, lanes_t *x, real *t) noexcept nogil:
    cdef lanes_t det, scale
    cdef lane_mask_t ok = det2(a, &det, t)
    scale = lanes_fill(1.0) / det
    x[0] = difference(a[3], b[0], a[1], b[1], t) * scale
    x[1] = difference(a[0], b[1], a[2], b[0], t) * scale
    return ok


cdef inline lane_mask_t solve3(const lanes_t *a, const lanes_t *b, lanes_t *x, real *t) noexcept nogil:
    """By the inverse, whose digits are as good."""
    cdef lanes_t y[9]
    cdef lane_mask_t ok = inv3(a, y, t)
    cdef int i
    for i in range(3):
        x[i] = (y[3 * i] * b[0] + y[3 * i + 1] * b[1]) + y[3 * i + 2] * b[2]
    return ok


cdef inline lane_mask_t expand4(const lanes_t *a, lanes_t *upper, lanes_t *lower, lanes_t *det,
                                real *t) noexcept nogil:
    """The determinant by the minors of the upper two rows and of the lower two (Laplace)."""
    cdef lanes_t terms, p
    cdef int i, j, k = 0
    for i in range(4):
        for j in range(i + 1, 4):
            upper[k] = difference(a[i], a[4 + j], a[4 + i], a[j], t)
            lower[k] = difference(a[8 + i], a[12 + j], a[12 + i], a[8 + j], t)
            k += 1
    det[0] = terms = lanes_fill(0.0)
    for k in range(6):
        p = upper[k] * lower[5 - k]
        terms = terms + lanes_abs(p)
        if k == 1 or k == 4:
            det[0] = det[0] - p
        else:
            det[0] = det[0] + p
    return trusted(a, 16, det[0], terms, CANCELLED_F32 if real is float else CANCELLED_4, t)


cdef inline lanes_t triple(lanes_t a, lanes_t x, lanes_t b, lanes_t y, lanes_t c, lanes_t z) noexcept nogil:
    return (a * x - b * y) + c * z


cdef inline lanes_t minus_triple(lanes_t a, lanes_t x, lanes_t b, lanes_t y, lanes_t c, lanes_t z) noexcept nogil:
    return (b * y - a * x) - c * z


cdef inline lane_mask_t inv4(const lanes_t *a, lanes_t *x, real *t) noexcept nogil:
    cdef lanes_t s[6]
    cdef lanes_t c[6]
    cdef lanes_t det, scale
    cdef lane_mask_t ok = expand4(a, s, c, &det, t)
    scale = lanes_fill(1.0) / det
    x[0] = triple(a[5], c[5], a[6], c[4], a[7], c[3]) * scale
    x[1] = minus_triple(a[1], c[5], a[2], c[4], a[3], c[3]) * scale
    x[2] = triple(a[13], s[5], a[14], s[4], a[15], s[3]) * scale
    x[3] = minus_triple(a[9], s[5], a[10], s[4], a[11], s[3]) * scale
    x[4] = minus_triple(a[4], c[5], a[6], c[2], a[7], c[1]) * scale
    x[5] = triple(a[0], c[5], a[2], c[2], a[3], c[1]) * scale
    x[6] = minus_triple(a[12], s[5], a[14], s[2], a[15], s[1]) * scale
    x[7] = triple(a[8], s[5], a[10], s[2], a[11], s[1]) * scale
    x[8] = triple(a[4], c[4], a[5], c[2], a[7], c[0]) * scale
    x[9] = minus_triple(a[0], c[4], a[1], c[2], a[3], c[0]) * scale
    x[10] = triple(a[12], s[4], a[13], s[2], a[15], s[0]) * scale
    x[11] = minus_triple(a[8], s[4], a[9], s[2], a[11], s[0]) * scale
    x[12] = minus_triple(a[4], c[3], a[5], c[1], a[6], c[0]) * scale
    x[13] = triple(a[0], c[3], a[1], c[1], a[2], c[0]) * scale
    x[14] = minus_triple(a[12], s[3], a[13], s[1], a[14], s[0]) * scale
    x[15] = triple(a[8], s[3], a[9], s[1], a[10], s[0]) * scale
    return ok
