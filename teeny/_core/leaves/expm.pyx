"""Leaves for the matrix exponential: scaling, a Pade approximant of order 13, squaring.

Each lane scales by its own power of two, so that what it does depends on its own
matrix alone. Storage is float32 or float64; arithmetic is float64, rounded once.
Beside it, reading and writing cells takes no time, so there is one leaf per
storage, and the mathematics is instantiated once per size:

    family      storage          sizes       leaves
    expm        float32 float64  any         2

This module is compiled once per instruction set; `table` is all it exports.
"""

from libc.math cimport NAN, exp
from libc.stdint cimport int64_t

from cpython.pycapsule cimport PyCapsule_New

from teeny._core.dispatch cimport Int2, Int3, Int4, Int5, Int6, Int7, Int8, real, static_int
from teeny._core.lanes cimport (LANES, lane_mask_t, lanes_abs, lanes_eq, lanes_fill, lanes_get, lanes_gt, lanes_load,
                                lanes_max, lanes_min, lanes_nan, lanes_select, lanes_t, lanes_unit_scale, mask_and,
                                mask_any, mask_none, mask_not, mask_or)
from teeny._core.leaves.cells cimport count, gather, matrices, matrices_t, report, scatter
from teeny._core.leaves.pivoted cimport factorise, permute, substitute
from teeny._core.leaves.table cimport LEAVES, OP_EXPM, leaves_t
from teeny._core.run cimport leaf_t, run_t

cdef extern from *:
    """
    /* The numerator of the Pade approximant of order 13; the denominator has the signs of the odd ones changed. */
    static const double teeny_pade[14] = {
        1, 1 / 2.0, 3 / 25.0, 11 / 600.0, 11 / 5520.0, 3 / 18400.0, 1 / 96600.0, 1 / 1932000.0, 1 / 48944000.0,
        1 / 1585785600.0, 1 / 67395888000.0, 1 / 3953892096000.0, 1 / 355850288640000.0, 1 / 64764752532480000.0,
    };
    /* Its error is half an ulp while |A^8|, and |A^6| or |A^10|, are below these: powers of 4. */
    #define TEENY_SIXTH 0x1p12
    #define TEENY_EIGHTH 0x1p16
    #define TEENY_TENTH 0x1p20
    /* Nor do rounding errors exceed that while | |A|^27 | is below this times |A|: 2**-53 over the
     * coefficient of the first term that the approximant lacks. */
    #define TEENY_TWENTY_SEVENTH 0x1.5cp+63
    #define TEENY_TINY 0x1p-500
    """
    const double *PADE "teeny_pade"
    const double SIXTH "TEENY_SIXTH"
    const double EIGHTH "TEENY_EIGHTH"
    const double TENTH "TEENY_TENTH"
    const double TWENTY_SEVENTH "TEENY_TWENTY_SEVENTH"
    const double TINY "TEENY_TINY"


cdef void multiply(const lanes_t *a, const lanes_t *b, lanes_t *c, static_int *_) noexcept nogil:
    cdef int n = sizeof(static_int), i, j, k
    for i in range(n):
        for j in range(n):
            c[i * n + j] = a[i * n] * b[j]
            for k in range(n):
                if k > 0:
                    c[i * n + j] = c[i * n + j] + a[i * n + k] * b[k * n + j]


cdef void square(lanes_t *x, lane_mask_t where, static_int *t) noexcept nogil:
    """x becomes x^2 in some lanes. Zero times infinity is zero: that element does not grow, only others do."""
    cdef int n = sizeof(static_int), e, i, j, k
    cdef lanes_t y[64]
    cdef lanes_t sum = lanes_fill(0.0), term
    cdef lane_mask_t lost
    multiply(x, x, y, t)
    for e in range(n * n):
        sum = sum + y[e]
    lost = lanes_nan(sum)
    if mask_any(lost):
        for i in range(n):
            for j in range(n):
                sum = lanes_fill(0.0)
                for k in range(n):
                    term = x[i * n + k] * x[k * n + j]
                    term = lanes_select(lanes_eq(x[i * n + k], lanes_fill(0.0)), x[i * n + k], term)
                    sum = sum + lanes_select(lanes_eq(x[k * n + j], lanes_fill(0.0)), x[k * n + j], term)
                y[i * n + j] = lanes_select(lost, sum, y[i * n + j])
    for e in range(n * n):
        x[e] = lanes_select(where, y[e], x[e])


cdef inline void weigh(const lanes_t *weights, const lanes_t *a, int n, lanes_t *w) noexcept nogil:
    """w becomes w |A|, a row."""
    cdef lanes_t next[8]
    cdef int i, j
    for j in range(n):
        next[j] = weights[0] * lanes_abs(a[j])
        for i in range(n):
            if i > 0:
                next[j] = next[j] + weights[i] * lanes_abs(a[i * n + j])
    for j in range(n):
        w[j] = next[j]


cdef inline lanes_t norm_of_power(const lanes_t *a, int n, int power) noexcept nogil:
    """The 1-norm of |A| to a power."""
    cdef lanes_t w[8]
    cdef lanes_t norm
    cdef int j, _
    for j in range(n):
        w[j] = lanes_fill(1.0)
    for _ in range(power):
        weigh(w, a, n, w)
    norm = w[0]
    for j in range(n):
        norm = lanes_max(w[j], norm)
    return norm


cdef inline lanes_t largest_scale(lanes_t full, const lanes_t *norm) noexcept nogil:
    """The largest power of two up to `full` by which A may be multiplied before the approximant is taken.

    Norms: of A, A^6, A^8, A^10, and of |A|^27.
    """
    cdef lanes_t r = lanes_min(full, lanes_fill(0.125)), c, c2, c6, c8
    cdef lane_mask_t fits = mask_not(mask_none())
    while mask_any(fits):  # a few dozen times at most: c to the 26th overflows
        c = r + r
        c2 = c * c
        c6 = c2 * c2 * c2
        c8 = c6 * c2
        fits = mask_or(lanes_gt(lanes_fill(SIXTH), c6 * norm[1]), lanes_gt(lanes_fill(TENTH), c8 * c2 * norm[3]))
        fits = mask_and(fits, lanes_gt(lanes_fill(EIGHTH), c8 * norm[2]))
        fits = mask_and(fits, lanes_gt(lanes_fill(TWENTY_SEVENTH) * norm[0], c8 * c8 * c8 * c2 * norm[4]))
        fits = mask_and(fits, lanes_gt(full, r))
        r = lanes_select(fits, c, r)
    return r


cdef lane_mask_t exponential_of_number(lanes_t *a) noexcept nogil:
    cdef lane_mask_t undefined = lanes_nan(a[0] - a[0])
    cdef double x[16]
    cdef int k
    for k in range(LANES):
        x[k] = exp(lanes_get(a[0], k))
    a[0] = lanes_select(undefined, lanes_fill(NAN), lanes_load(x))
    return undefined


cdef lane_mask_t exponential(lanes_t *a, static_int *t) noexcept nogil:
    """a becomes its exponential; the lanes that are not finite."""
    cdef int n = sizeof(static_int), e, i, j
    cdef lanes_t a2[64]
    cdef lanes_t a4[64]
    cdef lanes_t a6[64]
    cdef lanes_t u[64]
    cdef lanes_t v[64]
    cdef lanes_t w[64]
    cdef lanes_t b[8]
    cdef lanes_t norm[5]
    cdef lane_mask_t exchanged[64]
    cdef lane_mask_t undefined, growing
    cdef lanes_t zero = lanes_fill(0.0), largest = zero, first, second, full, r, r2
    for e in range(n * n):
        zero = zero + a[e] * lanes_fill(0.0)
    undefined = lanes_nan(zero)
    for e in range(n * n):
        a[e] = lanes_select(undefined, lanes_fill(0.0), a[e])
        largest = lanes_max(lanes_abs(a[e]), largest)

    # by powers of two, A = full B with the norm of B between 16 and 32, or less if A is tiny
    first = lanes_unit_scale(lanes_max(largest, lanes_fill(TINY)))
    for e in range(n * n):
        a[e] = a[e] * first
    second = lanes_unit_scale(lanes_max(norm_of_power(a, n, 1), lanes_fill(1.0))) * lanes_fill(16.0)
    for e in range(n * n):
        a[e] = a[e] * second
    full = lanes_fill(1.0) / first / second

    multiply(a, a, a2, t)
    multiply(a2, a2, a4, t)
    multiply(a2, a4, a6, t)
    multiply(a4, a4, v, t)
    multiply(a4, a6, w, t)
    norm[0] = norm_of_power(a, n, 1)
    norm[1] = norm_of_power(a6, n, 1)
    norm[2] = norm_of_power(v, n, 1)
    norm[3] = norm_of_power(w, n, 1)
    norm[4] = norm_of_power(a, n, 27)
    r = largest_scale(full, norm)
    r2 = r * r
    for e in range(n * n):
        a[e] = a[e] * r
        a2[e] = a2[e] * r2
        a4[e] = a4[e] * (r2 * r2)
        a6[e] = a6[e] * (r2 * r2 * r2)

    # odd terms u, even terms v; the quotient of v + u and v - u
    for e in range(n * n):
        w[e] = lanes_fill(PADE[13]) * a6[e] + lanes_fill(PADE[11]) * a4[e] + lanes_fill(PADE[9]) * a2[e]
    multiply(a6, w, v, t)
    for e in range(n * n):
        w[e] = lanes_fill(PADE[7]) * a6[e] + lanes_fill(PADE[5]) * a4[e] + lanes_fill(PADE[3]) * a2[e] + v[e]
    for i in range(n):
        w[i * n + i] = w[i * n + i] + lanes_fill(PADE[1])
    multiply(a, w, u, t)
    for e in range(n * n):
        w[e] = lanes_fill(PADE[12]) * a6[e] + lanes_fill(PADE[10]) * a4[e] + lanes_fill(PADE[8]) * a2[e]
    multiply(a6, w, v, t)
    for e in range(n * n):
        v[e] = lanes_fill(PADE[6]) * a6[e] + lanes_fill(PADE[4]) * a4[e] + lanes_fill(PADE[2]) * a2[e] + v[e]
    for i in range(n):
        v[i * n + i] = v[i * n + i] + lanes_fill(PADE[0])
    for e in range(n * n):
        w[e] = v[e] - u[e]
    factorise(w, n, exchanged)
    for j in range(n):
        for i in range(n):
            b[i] = v[i * n + j] + u[i * n + j]
        permute(n, exchanged, b)
        substitute(w, n, b)
        for i in range(n):
            a[i * n + j] = b[i]

    growing = lanes_gt(full, r)
    while mask_any(growing):  # at most as often as there are powers of two
        square(a, growing, t)
        r = lanes_select(growing, r + r, r)
        growing = lanes_gt(full, r)
    for e in range(n * n):
        a[e] = lanes_select(undefined, lanes_fill(NAN), a[e])
    return undefined


ctypedef lane_mask_t (*exponential_t)(lanes_t *a) noexcept nogil

cdef exponential_t exponentials[9]


cdef int64_t expm_leaf(const run_t *run, real *t) noexcept nogil:
    """Operands: a (n, n), then x (n, n), info ()."""
    cdef int n = <int> run.op[0].shape[0], m
    cdef matrices_t a = matrices(&run.op[0], n, n), x = matrices(&run.op[1], n, n)
    cdef exponential_t exponentiate = exponentials[n]
    cdef lanes_t ax[64]
    cdef int64_t start = 0
    while start < run.n:
        m = count(start, run.n)
        gather(a, start, m, n, n, ax, t)
        report(&run.op[2], start, m, mask_none(), exponentiate(ax))
        scatter(x, start, m, n, n, ax, t)
        start += m
    return 0


# ------------------------------------------------------------------ table

cdef leaves_t leaves
leaves.leaf[OP_EXPM][0][0] = <leaf_t> expm_leaf[float]
leaves.leaf[OP_EXPM][1][0] = <leaf_t> expm_leaf[double]

exponentials[1] = exponential_of_number
exponentials[2] = <exponential_t> exponential[Int2]
exponentials[3] = <exponential_t> exponential[Int3]
exponentials[4] = <exponential_t> exponential[Int4]
exponentials[5] = <exponential_t> exponential[Int5]
exponentials[6] = <exponential_t> exponential[Int6]
exponentials[7] = <exponential_t> exponential[Int7]
exponentials[8] = <exponential_t> exponential[Int8]


def table():
    """The leaves of this instruction set: a capsule around a ``leaves_t``."""
    return PyCapsule_New(&leaves, LEAVES, NULL)
