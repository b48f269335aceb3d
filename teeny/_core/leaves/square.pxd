"""The inverse and the determinant of a bundle by elimination, for the lanes that no closed form is trusted with."""

from libc.math cimport NAN, frexp, ldexp

from teeny._core.lanes cimport (LANES, lane_mask_t, lanes_eq, lanes_fill, lanes_get, lanes_gt, lanes_load, lanes_max,
                                lanes_nan, lanes_round, lanes_select, lanes_t, mask_and, mask_any, mask_none, mask_not,
                                mask_or)
from teeny._core.leaves.pivoted cimport determinant, exchange_sign, factorise, invert

cdef extern from *:
    """
    #define TEENY_SMALL_SQUARED 0x1p84
    """
    const double SMALL_SQUARED "TEENY_SMALL_SQUARED"


cdef struct status_t:
    # of the lanes of a bundle: singular, not finite, and either of both
    lane_mask_t singular, undefined, lost


cdef inline status_t all_well() noexcept nogil:
    cdef status_t status
    status.singular = status.undefined = status.lost = mask_none()
    return status


cdef inline void factors(lanes_t *lu, int n, lane_mask_t *exchanged, status_t *status) noexcept nogil:
    """Elimination in place. Whatever is not finite reaches a pivot."""
    cdef lane_mask_t singular = factorise(lu, n, exchanged)
    cdef lanes_t none = lanes_fill(0.0)
    cdef int k
    for k in range(n):
        none = none + (lu[k * n + k] - lu[k * n + k])
    status.undefined = lanes_nan(none)
    status.singular = mask_and(singular, mask_not(status.undefined))
    status.lost = mask_or(status.singular, status.undefined)


cdef inline void inv_pivoted(const lanes_t *a, int n, lanes_t *x, status_t *status) noexcept nogil:
    """x by elimination; NaN throughout where there is no inverse."""
    cdef lanes_t lu[64]
    cdef lane_mask_t exchanged[64]
    cdef int e
    for e in range(n * n):
        lu[e] = a[e]
    factors(lu, n, exchanged, status)
    invert(lu, n, exchanged, x)
    for e in range(n * n):
        x[e] = lanes_select(status.lost, lanes_fill(NAN), x[e])


cdef inline lane_mask_t small_integers(const lanes_t *a, int n) noexcept nogil:
    """Lanes of integers so small that elimination errs by less than 1/2."""
    cdef lane_mask_t integers = mask_not(mask_none())
    cdef lanes_t bound = lanes_fill(1.0), largest = lanes_fill(1.0), row
    cdef int i, j
    for i in range(n):
        row = lanes_fill(0.0)
        for j in range(n):
            integers = mask_and(integers, lanes_eq(a[i * n + j], lanes_round(a[i * n + j])))
            row = row + a[i * n + j] * a[i * n + j]
        if not mask_any(integers):
            break
        bound = bound * row
        largest = lanes_max(largest, row)
    # Hadamard's bound, squared, once more by the largest row for the backward error
    return mask_and(integers, lanes_gt(lanes_fill(SMALL_SQUARED), bound * largest))


cdef inline lanes_t scaled_determinant(const lanes_t *lu, int n, const lane_mask_t *exchanged) noexcept nogil:
    """The product of the pivots, mantissas and exponents apart."""
    cdef double product[16]
    cdef double pivot
    cdef int k, lane, exponent, scale
    for lane in range(LANES):
        product[lane] = 1.0
        scale = 0
        for k in range(n):
            pivot = lanes_get(lu[k * n + k], lane)
            product[lane] = frexp(product[lane] * pivot, &exponent)
            scale += exponent
        product[lane] = ldexp(product[lane], scale)
    return exchange_sign(lanes_load(product), n, exchanged)


cdef inline lanes_t det_pivoted(const lanes_t *a, int n) noexcept nogil:
    """By elimination; exact where every entry is a small integer."""
    cdef lanes_t lu[64]
    cdef lane_mask_t exchanged[64]
    cdef lane_mask_t singular, in_range
    cdef lanes_t det
    cdef int e
    for e in range(n * n):
        lu[e] = a[e]
    singular = factorise(lu, n, exchanged)
    in_range = determinant(lu, n, exchanged, &det)
    if mask_any(mask_not(in_range)):
        det = lanes_select(in_range, det, scaled_determinant(lu, n, exchanged))
    det = lanes_select(singular, lanes_fill(0.0), det)
    return lanes_select(small_integers(a, n), lanes_round(det), det)
