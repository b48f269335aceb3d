"""One-sided Jacobi rotations of bundles: the singular values of a small square matrix.

The rows of a triangular factor are made orthogonal pair by pair; their lengths are
then the singular values, to high relative accuracy (Demmel and Veselic 1992; Drmac
and Veselic 2008). The longer of two rows moves up, so they end up in descending
order. A lane that is done is left alone while its neighbours go on: its bits are
its own. Every loop over sweeps is bounded.

Values below `NEGLIGIBLE` times the largest have no digits left to be orthogonal
with, and count as zero.
"""

from teeny._core.lanes cimport (lane_mask_t, lanes_abs, lanes_eq, lanes_fill, lanes_gt, lanes_max, lanes_min,
                                lanes_select, lanes_sqrt, lanes_t, lanes_unit_scale, mask_and, mask_any, mask_none,
                                mask_not, mask_or)
from teeny._core.leaves.householder cimport exchange, largest

cdef extern from *:
    """
    #define TEENY_SWEEPS 40
    /* cosines, squared: what is rotated away, and what is left in peace at the end */
    #define TEENY_ORTHOGONAL_SQUARED 0x1p-104
    #define TEENY_ACCEPTED 0x1p-51
    /* by how much (squared) a row must be longer than one above it to move up: a sweep in which none moves has
     * measured every pair, so it is the last to be asked; equal ones are put in order at the end */
    #define TEENY_LONGER 1.0000000000582077 /* 1 + 2**-34 */
    #define TEENY_NEGLIGIBLE 0x1p-960
    /* rows longer than this need no scaling of their products */
    #define TEENY_COMFORTABLE 0x1p-200
    """
    const int SWEEPS "TEENY_SWEEPS"
    const double ORTHOGONAL_SQUARED "TEENY_ORTHOGONAL_SQUARED"
    const double ACCEPTED "TEENY_ACCEPTED"
    const double LONGER "TEENY_LONGER"
    const double NEGLIGIBLE "TEENY_NEGLIGIBLE"
    const double COMFORTABLE "TEENY_COMFORTABLE"


cdef inline bint settle(lanes_t *r, int n) noexcept nogil:
    """Negligible rows become zero; whether any that are left is so short that products need scaling."""
    cdef lane_mask_t short = mask_none(), negligible
    cdef lanes_t most
    cdef int i, p
    for p in range(n):
        most = largest(r + p * n, n)
        negligible = lanes_gt(lanes_fill(NEGLIGIBLE), most)
        if mask_any(negligible):
            for i in range(n):
                r[p * n + i] = lanes_select(negligible, lanes_fill(0.0), r[p * n + i])
        short = mask_or(short, mask_and(lanes_gt(lanes_fill(COMFORTABLE), most), mask_not(negligible)))
    return mask_any(short)


cdef struct products_t:
    # of two rows, in a scale common to them; and the square of the cosine between them
    lanes_t xx, yy, xy, cosine_squared


cdef inline products_t products(const lanes_t *x, const lanes_t *y, int n) noexcept nogil:
    cdef products_t p
    cdef int i
    p.xx = x[0] * x[0]
    p.yy = y[0] * y[0]
    p.xy = x[0] * y[0]
    for i in range(1, n):
        p.xx = p.xx + x[i] * x[i]
        p.yy = p.yy + y[i] * y[i]
        p.xy = p.xy + x[i] * y[i]
    p.cosine_squared = (p.xy * p.xy) / (p.xx * p.yy)
    return p


cdef inline products_t scaled_products(const lanes_t *x, const lanes_t *y, int n) noexcept nogil:
    """The same bits, for rows of any length: each is scaled by a power of two."""
    cdef lanes_t u[8]
    cdef lanes_t v[8]
    cdef lanes_t x_scale = lanes_unit_scale(largest(x, n)), y_scale = lanes_unit_scale(largest(y, n))
    cdef lanes_t common = lanes_min(x_scale, y_scale)
    cdef products_t p
    cdef int i
    for i in range(n):
        u[i] = x[i] * x_scale
        v[i] = y[i] * y_scale
    p = products(u, v, n)
    x_scale = common / x_scale
    y_scale = common / y_scale
    p.xx = p.xx * x_scale * x_scale
    p.yy = p.yy * y_scale * y_scale
    p.xy = p.xy * x_scale * y_scale
    return p


cdef struct rotation_t:
    # what two rows need: the masks of lanes to exchange and to rotate, the sine, the tangent of half the angle
    lane_mask_t moved, rotated
    lanes_t sine, tau


cdef struct sweep_t:
    # of all pairs of a sweep: the largest cosine (squared) and tangent, the lanes whose order was wrong
    lanes_t cosine_squared, tangent
    lane_mask_t moved


cdef inline void measure(const lanes_t *x, const lanes_t *y, int n, bint short, lane_mask_t active,
                         rotation_t *rotation, sweep_t *sweep) noexcept nogil:
    """The rotation that makes x and y orthogonal, by at most 45 degrees once the longer one comes first."""
    cdef products_t product
    cdef lanes_t longer, d, h, t
    if short:
        product = scaled_products(x, y, n)
    else:
        product = products(x, y, n)
    rotation.rotated = mask_and(active, lanes_gt(product.cosine_squared, lanes_fill(ORTHOGONAL_SQUARED)))
    rotation.moved = mask_and(active, lanes_gt(product.yy, product.xx * lanes_fill(LONGER)))
    longer = lanes_select(rotation.moved, product.yy - product.xx, product.xx - product.yy)
    d = lanes_abs(longer)
    h = product.xy + product.xy
    h = lanes_select(lanes_gt(lanes_fill(0.0), longer), -h, h)
    t = lanes_select(rotation.rotated, h / (d + lanes_sqrt(d * d + h * h)), lanes_fill(0.0))
    h = lanes_sqrt(lanes_fill(1.0) + t * t)
    rotation.sine = t / h
    rotation.tau = t / (lanes_fill(1.0) + h)
    sweep.cosine_squared = lanes_max(product.cosine_squared, sweep.cosine_squared)
    sweep.tangent = lanes_max(lanes_abs(t), sweep.tangent)
    sweep.moved = mask_or(sweep.moved, rotation.moved)


cdef inline void rotate(lanes_t *x, lanes_t *y, int n, const rotation_t *rotation) noexcept nogil:
    """By what has to be added, so that small angles make small errors."""
    cdef lanes_t kept
    cdef int i
    if mask_any(rotation.moved):
        exchange(rotation.moved, x, y, n, 1)
    if mask_any(rotation.rotated):
        for i in range(n):
            kept = x[i]
            x[i] = kept + rotation.sine * (y[i] - rotation.tau * kept)
            y[i] = y[i] - rotation.sine * (kept + rotation.tau * y[i])


cdef inline lane_mask_t orthogonalise(lanes_t *r, lanes_t *w, int n, bint vectors) noexcept nogil:
    """Rotate the rows of r (n x n), and with `vectors` those of w too; the lanes that did not converge.

    A sweep is a tournament: in each round every row meets another one, and these pairs need not wait for each other.
    """
    cdef lane_mask_t active = mask_not(mask_none())
    cdef rotation_t rotation[4]
    cdef int first[4]
    cdef int second[4]
    cdef sweep_t sweep
    cdef lanes_t cosine, left
    cdef bint short
    cdef int players = n + n % 2, _turn, round, i, p, q
    for _turn in range(SWEEPS):
        short = settle(r, n)
        sweep.moved = mask_none()
        sweep.cosine_squared = sweep.tangent = lanes_fill(0.0)
        for round in range(players - 1):
            for i in range(players // 2):
                p = (round + i) % (players - 1)
                q = (round - i + players - 1) % (players - 1) if i > 0 else players - 1
                first[i] = min(p, q)
                second[i] = max(p, q)
                if second[i] < n:
                    measure(r + first[i] * n, r + second[i] * n, n, short, active, &rotation[i], &sweep)
            for i in range(players // 2):
                if second[i] < n:
                    rotate(r + first[i] * n, r + second[i] * n, n, &rotation[i])
                    if vectors:
                        rotate(w + first[i] * n, w + second[i] * n, n, &rotation[i])
        # what rotations of this sweep may have left: a cosine times the largest sine
        cosine = lanes_sqrt(sweep.cosine_squared)
        left = cosine * lanes_min(lanes_fill(1.0), lanes_fill(n) * lanes_max(sweep.tangent, cosine))
        active = mask_and(active, mask_or(sweep.moved, lanes_gt(left, lanes_fill(ACCEPTED))))
        if not mask_any(active):
            break
    return active


cdef inline void lengths(lanes_t *r, lanes_t *w, int n, bint vectors, lanes_t *s) noexcept nogil:
    """The lengths of the rows of r, descending; the rows become unit vectors, or stay zero."""
    cdef lanes_t scale, squares, length
    cdef lane_mask_t longer
    cdef int i, p, q
    for p in range(n):
        scale = lanes_unit_scale(largest(r + p * n, n))
        squares = lanes_fill(0.0)
        for i in range(n):
            r[p * n + i] = r[p * n + i] * scale
            squares = squares + r[p * n + i] * r[p * n + i]
        length = lanes_sqrt(squares)
        s[p] = length / scale
        if vectors:
            length = lanes_fill(1.0) / lanes_select(lanes_eq(length, lanes_fill(0.0)), lanes_fill(1.0), length)
            for i in range(n):
                r[p * n + i] = r[p * n + i] * length
    for p in range(n):
        for q in range(p + 1, n):
            longer = lanes_gt(s[q], s[p])
            if mask_any(longer):
                exchange(longer, s + p, s + q, 1, 1)
                if vectors:
                    exchange(longer, r + p * n, r + q * n, n, 1)
                    exchange(longer, w + p * n, w + q * n, n, 1)


cdef inline void complete(lanes_t *v, int n, const lanes_t *s) noexcept nogil:
    """The rows of v (n x n) where s is zero become unit vectors orthogonal to all above them."""
    cdef lanes_t x[8]
    cdef lanes_t best, covered, along, zero = lanes_fill(0.0), one = lanes_fill(1.0)
    cdef lane_mask_t missing, better
    cdef int i, j, k, _turn
    for k in range(n):
        missing = lanes_eq(s[k], zero)
        if not mask_any(missing):
            continue
        # from the axis that is the furthest from the rows above
        best = lanes_fill(2.0)
        for i in range(n):
            x[i] = zero
        for j in range(n):
            covered = zero
            for i in range(k):
                covered = covered + v[i * n + j] * v[i * n + j]
            better = lanes_gt(best, covered)
            best = lanes_select(better, covered, best)
            for i in range(n):
                x[i] = lanes_select(better, one if i == j else zero, x[i])
        for _turn in range(2):  # twice is enough (Parlett)
            for i in range(k):
                along = zero
                for j in range(n):
                    along = along + v[i * n + j] * x[j]
                for j in range(n):
                    x[j] = x[j] - along * v[i * n + j]
        along = zero
        for j in range(n):
            along = along + x[j] * x[j]
        along = one / lanes_sqrt(along)
        for j in range(n):
            v[k * n + j] = lanes_select(missing, x[j] * along, v[k * n + j])
