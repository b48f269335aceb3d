"""Eigenvalues and eigenvectors of a symmetric matrix, each lane its own; only the lower triangle is read.

2 x 2 takes one rotation. 3 x 3 splits off the eigenvalue that is farthest from the
other two, which is always well separated and so has an accurate eigenvector (after
Eberly, A Robust Eigensolver for 3 x 3 Symmetric Matrices, 2014); what remains is
2 x 2, and a correction of first order removes what the split left. Other sizes: see
`tridiagonal`.

Entries are expected in about [-4, 4], with the largest near 1 (see `standardise`);
vectors are the columns of v.
"""

from teeny._core.lanes cimport (lane_mask_t, lanes_abs, lanes_fill, lanes_gt, lanes_max, lanes_nan, lanes_select,
                                lanes_sqrt, lanes_t, lanes_unit_scale, mask_any)
from teeny._core.leaves.pivoted cimport exchange

cdef extern from *:
    """
    /* Nothing at all beside entries near 1, even if it is a square. */
    #define TEENY_NOTHING 0x1p-900
    /* The square of a small angle is less than a rounding error. */
    #define TEENY_SMALL_ANGLE 0x1p-27
    """
    const double NOTHING "TEENY_NOTHING"
    const double SMALL "TEENY_SMALL_ANGLE"

cdef enum:
    # Bundles that take each step together: a step is a chain of operations that wait for each
    # other, and those of other bundles fill the gaps.
    BUNDLES = 4


cdef inline lanes_t standardise(lanes_t *a, int n, lane_mask_t *undefined) noexcept nogil:
    """Scale a by a power of two that brings its largest entry near 1: the power. Zero where it is not finite."""
    cdef lanes_t largest = lanes_abs(a[0]), total = lanes_fill(0.0), scale
    cdef int i, j
    for i in range(n):
        for j in range(n):
            if j <= i:
                largest = lanes_max(lanes_abs(a[i * n + j]), largest)
    scale = lanes_unit_scale(largest)
    for i in range(n):
        for j in range(n):
            if j <= i:
                a[i * n + j] = a[i * n + j] * scale
                total = total + a[i * n + j]
    undefined[0] = lanes_nan(total - total)
    if mask_any(undefined[0]):
        for i in range(n):
            for j in range(n):
                if j <= i:
                    a[i * n + j] = lanes_select(undefined[0], lanes_fill(0.0), a[i * n + j])
    return scale


cdef inline lanes_t signed_as(lanes_t x, lanes_t sign) noexcept nogil:
    """x, or -x where `sign` is negative; zeros of both signs alike."""
    return lanes_select(lanes_gt(lanes_fill(0.0), sign), -x, x)


cdef inline lanes_t tangent(lanes_t a, lanes_t o, lanes_t b) noexcept nogil:
    """t, at most 1, of the rotation that diagonalises [a o; o b]: eigenvalues a + to and b - to."""
    cdef lanes_t half = (a - b) * lanes_fill(0.5), size
    size = lanes_abs(half) + lanes_sqrt(half * half + o * o)
    size = lanes_max(lanes_max(size, lanes_abs(o)), lanes_fill(NOTHING))
    return signed_as(o / size, half)


# ------------------------------------------------------------------- 2 x 2


cdef inline void spectrum2(const lanes_t *a, lanes_t *w, lanes_t *v) noexcept nogil:
    cdef lanes_t t = tangent(a[0], a[2], a[3]), c, s
    cdef lane_mask_t swap
    w[0] = a[0] + t * a[2]
    w[1] = a[3] - t * a[2]
    c = lanes_fill(1.0) / lanes_sqrt(t * t + lanes_fill(1.0))
    s = t * c
    swap = lanes_gt(w[0], w[1])
    exchange(swap, &w[0], &w[1])
    v[0] = lanes_select(swap, -s, c)
    v[1] = lanes_select(swap, c, -s)
    v[2] = lanes_select(swap, c, s)
    v[3] = lanes_select(swap, s, c)


# ------------------------------------------------------------------- 3 x 3


cdef inline lanes_t dot3(const lanes_t *x, const lanes_t *y) noexcept nogil:
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


cdef inline void times3(const lanes_t *a, const lanes_t *x, lanes_t *y) noexcept nogil:
    """y = a x by the lower triangle"""
    y[0] = a[0] * x[0] + a[3] * x[1] + a[6] * x[2]
    y[1] = a[3] * x[0] + a[4] * x[1] + a[7] * x[2]
    y[2] = a[6] * x[0] + a[7] * x[1] + a[8] * x[2]


cdef inline lanes_t extreme_root(lanes_t det) noexcept nogil:
    """The largest root of x^3 - 3x = det, for det in [0, 2], to 1e-10: a polynomial, then Newton's step."""
    cdef lanes_t x = lanes_fill(-5.04424840e-4) * det + lanes_fill(4.37804714e-3)
    x = x * det + lanes_fill(-2.29609666e-2)
    x = x * det + lanes_fill(0.166411722)
    x = x * det + lanes_fill(1.73206086)
    return (lanes_fill(2.0) * x * x * x + det) / (lanes_fill(3.0) * (x * x - lanes_fill(1.0)))


cdef inline void extreme_vector(const lanes_t *a, lanes_t *x) noexcept nogil:
    """A unit vector of the eigenvalue farthest from the mean, to 1e-10 of the distances between eigenvalues."""
    cdef lanes_t mean = (a[0] + a[4] + a[8]) * lanes_fill(1.0 / 3.0), p, q, r, o, u, w, squares, f, det, root
    cdef lanes_t cofactor[6]
    cdef lane_mask_t better
    cdef int k
    # divided by its length, a - mean has eigenvalues 2 cos(angle), the extreme one beyond sqrt(3)
    p = a[0] - mean
    q = a[4] - mean
    r = a[8] - mean
    squares = (p * p + q * q + r * r) + lanes_fill(2.0) * (a[3] * a[3] + a[6] * a[6] + a[7] * a[7])
    f = lanes_fill(1.0) / lanes_sqrt(lanes_max(squares * lanes_fill(1.0 / 6.0), lanes_fill(NOTHING)))
    p = p * f
    q = q * f
    r = r * f
    o = a[3] * f
    u = a[6] * f
    w = a[7] * f
    det = p * (q * r - w * w) - o * (o * r - u * w) + u * (o * w - u * q)
    root = signed_as(extreme_root(lanes_abs(det)), det)
    p = p - root
    q = q - root
    r = r - root
    # the cofactors are (a multiple of) x x': take the longest column
    cofactor[0] = q * r - w * w
    cofactor[1] = u * w - o * r
    cofactor[2] = o * w - u * q
    cofactor[3] = p * r - u * u
    cofactor[4] = o * u - w * p
    cofactor[5] = p * q - o * o
    better = lanes_gt(cofactor[3], cofactor[0])
    x[0] = lanes_select(better, cofactor[1], cofactor[0])
    x[1] = lanes_select(better, cofactor[3], cofactor[1])
    x[2] = lanes_select(better, cofactor[4], cofactor[2])
    better = lanes_gt(cofactor[5], lanes_max(cofactor[0], cofactor[3]))
    x[0] = lanes_select(better, cofactor[2], x[0])
    x[1] = lanes_select(better, cofactor[4], x[1])
    x[2] = lanes_select(better, cofactor[5], x[2])
    f = lanes_sqrt(dot3(x, x))
    for k in range(3):
        x[k] = x[k] / f


cdef inline void complete(const lanes_t *x, lanes_t *y, lanes_t *z) noexcept nogil:
    """y and z orthonormal with the unit vector x: a reflection's other columns (Duff et al., JCGT 6, 2017)."""
    cdef lanes_t one = lanes_fill(1.0), sign = signed_as(one, x[2])
    cdef lanes_t f = -one / (sign + x[2])
    y[0] = one + sign * (x[0] * x[0] * f)
    y[1] = sign * (x[0] * x[1] * f)
    y[2] = -sign * x[0]
    z[0] = x[0] * x[1] * f
    z[1] = sign + x[1] * x[1] * f
    z[2] = -x[1]


cdef inline lanes_t small_angle(lanes_t coupling, lanes_t gap) noexcept nogil:
    """The angle that removes a coupling which is small beside the gap; 0 where it is not, but for rounding errors."""
    cdef lane_mask_t small = lanes_gt(lanes_abs(gap) * lanes_fill(SMALL), lanes_abs(coupling))
    return lanes_select(small, coupling, lanes_fill(0.0)) / lanes_select(small, gap, lanes_fill(1.0))


cdef inline void split(const lanes_t *a, lanes_t *basis, lanes_t *t) noexcept nogil:
    """Rows of `basis`: x as `extreme_vector` has it, y and z are added; t: the lower triangle of a between them."""
    cdef const lanes_t *x = basis
    cdef lanes_t *y = basis + 3
    cdef lanes_t *z = basis + 6
    cdef lanes_t product[3]
    complete(x, y, z)
    times3(a, x, product)
    t[0] = dot3(x, product)
    t[1] = dot3(y, product)
    t[3] = dot3(z, product)
    times3(a, y, product)
    t[2] = dot3(y, product)
    t[4] = dot3(z, product)
    times3(a, z, product)
    t[5] = dot3(z, product)


cdef inline void join(const lanes_t *basis, const lanes_t *t, lanes_t *w, lanes_t *v, bint vectors) noexcept nogil:
    """Diagonalise t: a rotation of y and z, then small ones that remove what is left of t[1] and t[3]."""
    cdef lanes_t turn = tangent(t[2], t[4], t[5]), c, s, y, z, to_y, to_z
    cdef int k
    w[0] = t[0]
    w[1] = t[2] + turn * t[4]
    w[2] = t[5] - turn * t[4]
    if vectors:
        c = lanes_fill(1.0) / lanes_sqrt(turn * turn + lanes_fill(1.0))
        s = turn * c
        to_y = small_angle(c * t[1] + s * t[3], w[0] - w[1])
        to_z = small_angle(c * t[3] - s * t[1], w[0] - w[2])
        for k in range(3):
            y = c * basis[3 + k] + s * basis[6 + k]
            z = c * basis[6 + k] - s * basis[3 + k]
            v[3 * k] = basis[k] + (to_y * y + to_z * z)
            v[3 * k + 1] = y - to_y * basis[k]
            v[3 * k + 2] = z - to_z * basis[k]
    ascend(3, w, v, 3 if vectors else 0, 1, 3)


# -------------------------------------------------------------------- order


cdef inline void ascend(int n, lanes_t *w, lanes_t *v, int size, int stride, int element) noexcept nogil:
    """Ascending w; vectors of `size` elements, `stride` apart, go along."""
    cdef lane_mask_t swap
    cdef int i, j, k
    for i in range(n):
        for j in range(n):
            if j > i:
                swap = lanes_gt(w[i], w[j])
                exchange(swap, &w[i], &w[j])
                for k in range(size):
                    exchange(swap, &v[i * stride + k * element], &v[j * stride + k * element])
