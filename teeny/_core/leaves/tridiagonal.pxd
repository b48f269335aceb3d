"""Symmetric matrices of any size: to tridiagonal form by reflections, to diagonal form by implicit QR steps.

See Golub and Van Loan, Matrix Computations, 4th ed., sec. 8.3. Vectors are the rows
of vt, so that a rotation of two of them runs along memory. A lane that has finished
is rotated by the identity, which leaves it as it is while others go on.
"""

from teeny._core.lanes cimport (lane_mask_t, lanes_abs, lanes_eq, lanes_fill, lanes_gt, lanes_max, lanes_select, lanes_sqrt,
                                lanes_t, mask_and, mask_any, mask_none, mask_not, mask_or)
from teeny._core.leaves.spectrum cimport NOTHING, signed_as, small_angle, tangent

cdef extern from *:
    """
    /* An off-diagonal entry counts while it is more than this beside its neighbours on the diagonal: eps / 2. */
    #define TEENY_NEGLIGIBLE 0x1p-53
    /* It never counts when squares of such numbers leave the range. */
    #define TEENY_TINY 0x1p-440
    /* Steps until an eigenvalue is given up; two or three are usual. */
    #define TEENY_QR_STEPS 60
    """
    const double NEGLIGIBLE "TEENY_NEGLIGIBLE"
    const double TINY "TEENY_TINY"
    const int QR_STEPS "TEENY_QR_STEPS"


cdef inline lanes_t common_part(const lanes_t *a, int n) noexcept nogil:
    """What can be subtracted from the diagonal without a rounding error, where that leaves little; else 0."""
    cdef lanes_t mean = a[0], rest = lanes_fill(0.0)
    cdef int i, j
    for i in range(1, n):
        mean = mean + a[i * n + i]
    mean = mean * lanes_fill(1.0 / n)
    for i in range(n):
        rest = lanes_max(rest, lanes_abs(a[i * n + i] - mean))
        for j in range(i):
            rest = lanes_max(rest, lanes_abs(a[i * n + j]))
    return lanes_select(lanes_gt(lanes_abs(mean), rest * lanes_fill(16.0)), mean, lanes_fill(0.0))


cdef inline void tridiagonalise(lanes_t *a, int n, lanes_t *d, lanes_t *e, lanes_t *vt, bint vectors) noexcept nogil:
    """The lower triangle of a = V T V': d and e, the diagonals of T, and V' if asked for. Destroys a."""
    cdef lanes_t tau[8]
    cdef lanes_t p[8]
    cdef lanes_t tail, norm, top, sum
    cdef lane_mask_t none
    cdef int i, j, k
    for k in range(n - 2):
        # the reflection 1 - tau x x' of rows below k; x is kept where it makes zeros
        top = a[(k + 1) * n + k]
        tail = lanes_fill(0.0)
        for i in range(k + 2, n):
            tail = tail + a[i * n + k] * a[i * n + k]
        none = lanes_gt(lanes_fill(NOTHING), tail)
        norm = lanes_sqrt(top * top + tail)
        e[k] = lanes_select(none, top, -signed_as(norm, top))
        tau[k] = lanes_select(none, lanes_fill(0.0), lanes_fill(1.0)) / lanes_select(
            none, lanes_fill(1.0), norm * (norm + lanes_abs(top)))
        a[(k + 1) * n + k] = top + signed_as(norm, top)
        sum = lanes_fill(0.0)
        for i in range(k + 1, n):
            p[i] = lanes_fill(0.0)
            for j in range(k + 1, n):
                p[i] = p[i] + a[max(i, j) * n + min(i, j)] * a[j * n + k]
            p[i] = p[i] * tau[k]
            sum = sum + p[i] * a[i * n + k]
        sum = sum * tau[k] * lanes_fill(0.5)
        for i in range(k + 1, n):
            p[i] = p[i] - sum * a[i * n + k]
        for i in range(k + 1, n):
            for j in range(k + 1, i + 1):
                a[i * n + j] = a[i * n + j] - (a[i * n + k] * p[j] + p[i] * a[j * n + k])
    for i in range(n):
        d[i] = a[i * n + i]
    if n > 1:
        e[n - 2] = a[(n - 1) * n + n - 2]
    if vectors:
        for i in range(n):
            for j in range(n):
                vt[i * n + j] = lanes_fill(1.0 if i == j else 0.0)
        for k in range(n - 3, -1, -1):
            for j in range(k + 1, n):
                sum = lanes_fill(0.0)
                for i in range(k + 1, n):
                    sum = sum + a[i * n + k] * vt[j * n + i]
                sum = sum * tau[k]
                for i in range(k + 1, n):
                    vt[j * n + i] = vt[j * n + i] - sum * a[i * n + k]


cdef inline void qr_step(int n, int last, lane_mask_t active, lanes_t *d, lanes_t *e, lanes_t *vt,
                         bint vectors) noexcept nogil:
    """One step on rows 0 ... last of the active lanes; it starts afresh wherever e is zero."""
    cdef lane_mask_t begins[8]
    cdef lane_mask_t turns
    cdef lanes_t shift, x, z, r, c, s, w
    cdef int i, k
    shift = d[last] - tangent(d[last - 1], e[last - 1], d[last]) * e[last - 1]
    for k in range(1, last):
        begins[k] = lanes_eq(e[k - 1], lanes_fill(0.0))
    z = lanes_fill(0.0)
    for k in range(last):
        if k == 0:
            x = d[0] - shift
            z = e[0]
        else:
            x = lanes_select(begins[k], d[k] - shift, e[k - 1])
            z = lanes_select(begins[k], e[k], z)
        r = x * x + z * z
        turns = mask_and(active, lanes_gt(r, lanes_fill(NOTHING)))
        r = lanes_select(turns, lanes_sqrt(r), lanes_fill(1.0))
        c = lanes_select(turns, x / r, lanes_fill(1.0))
        s = lanes_select(turns, z / r, lanes_fill(0.0))
        if k > 0:
            e[k - 1] = lanes_select(mask_and(turns, mask_not(begins[k])), r, e[k - 1])
        w = (d[k + 1] - d[k]) * s + lanes_fill(2.0) * c * e[k]
        d[k] = d[k] + s * w
        d[k + 1] = d[k + 1] - s * w
        e[k] = c * w - e[k]
        if k + 1 < last:
            z = s * e[k + 1]
            e[k + 1] = c * e[k + 1]
        if vectors:
            for i in range(n):
                x = vt[k * n + i]
                r = vt[(k + 1) * n + i]
                vt[k * n + i] = c * x + s * r
                vt[(k + 1) * n + i] = c * r - s * x


cdef inline lane_mask_t diagonalise(int n, lanes_t *d, lanes_t *e, lanes_t *vt, bint vectors) noexcept nogil:
    """d becomes the eigenvalues, in no order; the lanes that did not converge."""
    cdef lane_mask_t active, failed = mask_none()
    cdef lanes_t limit
    cdef int k, last = n - 1, steps = 0
    while last > 0:
        for k in range(last):
            limit = lanes_fill(NEGLIGIBLE) * (lanes_abs(d[k]) + lanes_abs(d[k + 1])) + lanes_fill(TINY)
            e[k] = lanes_select(lanes_gt(lanes_abs(e[k]), limit), e[k], lanes_fill(0.0))
        active = mask_not(lanes_eq(e[last - 1], lanes_fill(0.0)))
        if mask_any(active) and steps < QR_STEPS:
            qr_step(n, last, active, d, e, vt, vectors)
            steps += 1
        else:
            failed = mask_or(failed, active)
            last -= 1
            steps = 0
    return failed


cdef inline void refine(const lanes_t *a, int n, lanes_t *w, lanes_t *vt) noexcept nogil:
    """One step of Newton's method for V'AV = W and V'V = 1 (Ogita and Aishima, 2018), where eigenvalues are apart."""
    cdef lanes_t av[64]
    cdef lanes_t turn[64]
    cdef lanes_t old[64]
    cdef lanes_t coupling, excess, angle
    cdef int i, j, k
    for j in range(n):
        for i in range(n):
            coupling = lanes_fill(0.0)
            for k in range(n):
                coupling = coupling + a[max(i, k) * n + min(i, k)] * vt[j * n + k]
            av[j * n + i] = coupling
    for i in range(n):
        for j in range(i, n):
            coupling = lanes_fill(0.0)
            excess = lanes_fill(-1.0 if i == j else 0.0)
            for k in range(n):
                coupling = coupling + vt[i * n + k] * av[j * n + k]
                excess = excess + vt[i * n + k] * vt[j * n + k]
            excess = excess * lanes_fill(0.5)
            coupling = coupling - (w[i] + w[j]) * excess
            if i == j:
                w[i] = coupling
                turn[i * n + i] = -excess
            else:
                angle = small_angle(coupling, w[j] - w[i])
                turn[i * n + j] = angle - excess
                turn[j * n + i] = -angle - excess
    for i in range(n * n):
        old[i] = vt[i]
    for j in range(n):
        for k in range(n):
            coupling = lanes_fill(0.0)
            for i in range(n):
                coupling = coupling + turn[i * n + j] * old[i * n + k]
            vt[j * n + k] = old[j * n + k] + coupling
