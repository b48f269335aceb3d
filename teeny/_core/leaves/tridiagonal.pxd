"""Symmetric matrices of any size: to tridiagonal form by reflections, to diagonal form by implicit QR steps.

See Golub and Van Loan, Matrix Computations, 4th ed., sec. 8.3. Vectors are the rows
of vt, so that a rotation of two of them runs along memory. A lane that has finished
is rotated by the identity, which leaves it as it is while others go on.
"""

from teeny._core.lanes cimport (lane_mask_t, lanes_abs, lanes_eq, lanes_fill, lanes_gt, lanes_max, lanes_select,
                                lanes_sqrt, lanes_t, mask_and, mask_any, mask_none, mask_not, mask_or)
from teeny._core.leaves.spectrum cimport BUNDLES, NOTHING, signed_as, small_angle, tangent

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
    return lanes_select(lanes_gt(lanes_abs(mean), rest + rest), mean, lanes_fill(0.0))


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


cdef inline void qr_step(int n, int last, int bundles, const lane_mask_t *active, lanes_t *d, lanes_t *e, lanes_t *c,
                         lanes_t *s) noexcept nogil:
    """One step on rows 0 ... last of the active lanes, by rotations c, s; it starts afresh wherever e is zero."""
    cdef lane_mask_t begins[BUNDLES * 8]
    cdef lanes_t shift[BUNDLES]
    cdef lanes_t bulge[BUNDLES]
    cdef int b, k
    for b in range(bundles):
        k = b * n + last
        shift[b] = d[k] - tangent(d[k - 1], e[k - 1], d[k]) * e[k - 1]
        bulge[b] = lanes_fill(0.0)
        begins[b * n] = mask_not(mask_none())
        for k in range(1, last):
            begins[b * n + k] = lanes_eq(e[b * n + k - 1], lanes_fill(0.0))
    for k in range(last):
        for b in range(bundles):
            rotate(k, last, active[b], begins[b * n + k], shift[b], bulge + b, d + b * n, e + b * n, c + b * n + k,
                   s + b * n + k)


cdef inline void rotate(int k, int last, lane_mask_t active, lane_mask_t begins, lanes_t shift, lanes_t *bulge,
                        lanes_t *d, lanes_t *e, lanes_t *cosine, lanes_t *sine) noexcept nogil:
    """Rotate rows and columns k and k + 1, so that the bulge moves on."""
    cdef lanes_t x = lanes_select(begins, d[k] - shift, e[k - 1] if k > 0 else shift)
    cdef lanes_t z = lanes_select(begins, e[k], bulge[0]), r = x * x + z * z, c, s, w
    cdef lane_mask_t turns = mask_and(active, lanes_gt(r, lanes_fill(NOTHING)))
    r = lanes_select(turns, lanes_sqrt(r), lanes_fill(1.0))
    c = lanes_select(turns, x / r, lanes_fill(1.0))
    s = lanes_select(turns, z / r, lanes_fill(0.0))
    if k > 0:
        e[k - 1] = lanes_select(mask_and(turns, mask_not(begins)), r, e[k - 1])
    w = (d[k + 1] - d[k]) * s + lanes_fill(2.0) * c * e[k]
    d[k] = d[k] + s * w
    d[k + 1] = d[k + 1] - s * w
    e[k] = c * w - e[k]
    if k + 1 < last:
        bulge[0] = s * e[k + 1]
        e[k + 1] = c * e[k + 1]
    cosine[0] = c
    sine[0] = s


cdef inline void turn(int n, int last, const lanes_t *c, const lanes_t *s, lanes_t *vt) noexcept nogil:
    """The rotations of a step, on vectors."""
    cdef lanes_t x, z
    cdef int i, k
    for i in range(n):
        x = vt[i]
        for k in range(last):
            z = vt[(k + 1) * n + i]
            vt[k * n + i] = c[k] * x + s[k] * z
            x = c[k] * z - s[k] * x
        vt[last * n + i] = x


cdef inline void diagonalise(int n, int bundles, lanes_t *d, lanes_t *e, lanes_t *vt, bint vectors,
                             lane_mask_t *failed) noexcept nogil:
    """d becomes the eigenvalues, in no order; failed: the lanes that did not converge, too."""
    cdef lane_mask_t active[BUNDLES]
    cdef lanes_t c[BUNDLES * 8]
    cdef lanes_t s[BUNDLES * 8]
    cdef lane_mask_t some
    cdef int b, last = n - 1, steps = 0
    while last > 0:
        some = mask_none()
        for b in range(bundles):
            active[b] = unfinished(last, d + b * n, e + b * n)
            some = mask_or(some, active[b])
        if mask_any(some) and steps < QR_STEPS:
            qr_step(n, last, bundles, active, d, e, c, s)
            for b in range(bundles):
                if vectors and mask_any(active[b]):
                    turn(n, last, c + b * n, s + b * n, vt + b * n * n)
            steps += 1
        else:
            for b in range(bundles):
                failed[b] = mask_or(failed[b], active[b])
            last -= 1
            steps = 0


cdef inline lane_mask_t unfinished(int last, const lanes_t *d, lanes_t *e) noexcept nogil:
    """Drop what is negligible of e; the lanes where d[last] is not an eigenvalue yet."""
    cdef lanes_t limit
    cdef int k
    for k in range(last):
        limit = lanes_fill(NEGLIGIBLE) * (lanes_abs(d[k]) + lanes_abs(d[k + 1])) + lanes_fill(TINY)
        e[k] = lanes_select(lanes_gt(lanes_abs(e[k]), limit), e[k], lanes_fill(0.0))
    return mask_not(lanes_eq(e[last - 1], lanes_fill(0.0)))


cdef inline void refine(const lanes_t *a, int n, lanes_t *w, lanes_t *vt) noexcept nogil:
    """One step of Newton's method for V'AV = W and V'V = 1 (Ogita and Aishima, 2018): rotations' errors add up."""
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
