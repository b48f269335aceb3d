"""Closed forms for 2 x 2 and 3 x 3, and the test that says which lanes may use them.

A cofactor is a difference of two products. Products of float32 numbers are exact
in float64; for float64 the rounding errors of both products are added back, so
every cofactor is right to about an ulp whatever cancels, and without pivoting the
result is as accurate as elimination's (Kahan's difference of products; see
Jeannerod, Louvet and Muller, Math. Comp. 82, 2013).
"""

from teeny._core.dispatch cimport real
from teeny._core.lanes cimport (lane_mask_t, lanes_abs, lanes_fill, lanes_gt, lanes_max, lanes_mul_error, lanes_t,
                                mask_and)

cdef extern from *:
    """
    /* A determinant smaller than this beside its own terms: whether the matrix is
     * singular is left to elimination. */
    #define TEENY_CANCELLED 0x1p-40
    /* Within these limits no product of float64 entries, and no error term of one,
     * leaves the range of the type; float32 entries cannot. */
    #define TEENY_LARGEST_ENTRY 0x1p100
    #define TEENY_SMALLEST_DETERMINANT 0x1p-800
    """
    const double CANCELLED "TEENY_CANCELLED"
    const double LARGEST_ENTRY "TEENY_LARGEST_ENTRY"
    const double SMALLEST_DETERMINANT "TEENY_SMALLEST_DETERMINANT"


cdef inline lanes_t difference(lanes_t a, lanes_t b, lanes_t c, lanes_t d, real *_) noexcept nogil:
    """a b - c d"""
    cdef lanes_t p = a * b, q = c * d
    if real is float:
        return p - q
    else:
        return (p - q) + (lanes_mul_error(a, b, p) - lanes_mul_error(c, d, q))


cdef inline lane_mask_t trusted(const lanes_t *a, int size, lanes_t det, lanes_t terms, real *_) noexcept nogil:
    """Lanes whose closed form stands: in range, and not cancelled to nothing. False for NaN."""
    cdef lanes_t magnitude = lanes_abs(det)
    cdef lane_mask_t ok = lanes_gt(magnitude, lanes_fill(CANCELLED) * terms)
    cdef lanes_t largest = lanes_abs(a[0])
    cdef int e
    if real is double:
        for e in range(1, size):
            largest = lanes_max(largest, lanes_abs(a[e]))
        ok = mask_and(ok, lanes_gt(lanes_fill(LARGEST_ENTRY), largest))
        ok = mask_and(ok, lanes_gt(magnitude, lanes_fill(SMALLEST_DETERMINANT)))
    return ok


cdef inline lane_mask_t det2(const lanes_t *a, lanes_t *det, real *t) noexcept nogil:
    det[0] = difference(a[0], a[3], a[1], a[2], t)
    return trusted(a, 4, det[0], lanes_abs(a[0] * a[3]) + lanes_abs(a[1] * a[2]), t)


cdef inline lane_mask_t inv2(const lanes_t *a, lanes_t *x, real *t) noexcept nogil:
    cdef lanes_t det, scale
    cdef lane_mask_t ok = det2(a, &det, t)
    scale = lanes_fill(1.0) / det
    x[0] = a[3] * scale
    x[1] = -a[1] * scale
    x[2] = -a[2] * scale
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
    return trusted(a, 9, det[0], (lanes_abs(p) + lanes_abs(q)) + lanes_abs(r), t)


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
