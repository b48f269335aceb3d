# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Arithmetic on elements: one leaf per operation and dtype, over runs of any strides.

A leaf looks once at how its run lies. Where all operands are dense, or one number for all, it is a flat loop that the
compiler vectorises; an operand in the very place of the output makes a loop of its own, in which the compiler
sees one array instead of two. All else is walked by strides, a block of the run at a time, so that the elements of
short rows are still in the cache when it is their turn. The caller has seen to it that an output is either `disjoint`
from an input or the very same elements in the same places.

    operations                                            dtypes                    leaves
    add sub mul minimum maximum                           float32 float64, 8 ints   50
    div                                                   float32 float64           2
    equal not_equal less less_equal greater greater_equal float32 float64, 8 ints   60
    neg abs sign                                          float32 float64, 8 ints   30
    sqrt floor ceil trunc round                           float32 float64           10
    clamp axpy                                            float32 float64, 8 ints   20
    fma                                                   float32 float64           2
                                                                                    174 in all

This module is compiled once per instruction set; `table` is all it exports. Integers wrap around.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cimport numpy as cnp

from teeny._core.ranked.table cimport (KERNELS, OP_ABS, OP_ADD, OP_AXPY, OP_CEIL, OP_CLAMP, OP_DIV, OP_EQUAL, OP_FLOOR,
                                       OP_FMA, OP_GREATER, OP_GREATER_EQUAL, OP_LESS, OP_LESS_EQUAL, OP_MAXIMUM,
                                       OP_MINIMUM, OP_MUL, OP_NEG, OP_NOT_EQUAL, OP_ROUND, OP_SIGN, OP_SQRT, OP_SUB,
                                       OP_TRUNC, kernels_t)
from teeny._core.ranked.tiles cimport BLOCK, element, flat, floating, is_dense, is_one, tile
from teeny._core.run cimport leaf_t, run_t

cdef extern from "<math.h>" nogil:
    double sqrt(double)
    float sqrtf(float)
    double floor(double)
    float floorf(float)
    double ceil(double)
    float ceilf(float)
    double trunc(double)
    float truncf(float)
    double rint(double)
    float rintf(float)
    double fabs(double)
    float fabsf(float)
    double c_fma "fma"(double, double, double)
    float c_fmaf "fmaf"(float, float, float)

# ------------------------------------------------------- on single elements. `op` is a constant, and folds.


cdef inline element of_one(element a, int op) noexcept nogil:
    if op == OP_NEG:
        return <element> -a
    if op == OP_SIGN:
        # NaN and zeros as NumPy: NaN stays, -0.0 becomes 0.0
        return <element> ((a > 0) - (a < 0)) if a == a else a
    if element is double:
        if op == OP_ABS:
            return fabs(a)
        if op == OP_SQRT:
            return sqrt(a)
        if op == OP_FLOOR:
            return floor(a)
        if op == OP_CEIL:
            return ceil(a)
        return trunc(a) if op == OP_TRUNC else rint(a)
    elif element is float:
        if op == OP_ABS:
            return fabsf(a)
        if op == OP_SQRT:
            return sqrtf(a)
        if op == OP_FLOOR:
            return floorf(a)
        if op == OP_CEIL:
            return ceilf(a)
        return truncf(a) if op == OP_TRUNC else rintf(a)
    else:
        return a if a > 0 else <element> -a


cdef inline element of_two(element a, element b, int op) noexcept nogil:
    if op == OP_ADD:
        return <element> (a + b)
    if op == OP_SUB:
        return <element> (a - b)
    if op == OP_MUL:
        if element is uint16_t:  # which C would multiply as int
            return <element> (<uint32_t> a * b)
        return <element> (a * b)
    if op == OP_DIV:
        if element is float or element is double:
            return a / b
    # NaN wins
    if op == OP_MINIMUM:
        return a if (a < b) | (a != a) else b
    return a if (a > b) | (a != a) else b


cdef inline bint compared(element a, element b, int op) noexcept nogil:
    if op == OP_EQUAL:
        return a == b
    if op == OP_NOT_EQUAL:
        return a != b
    if op == OP_LESS:
        return a < b
    if op == OP_LESS_EQUAL:
        return a <= b
    if op == OP_GREATER:
        return a > b
    return a >= b


cdef inline element of_three(element a, element b, element c, int op) noexcept nogil:
    if op == OP_CLAMP:
        # questions that do not answer each other: else gcc makes jumps of them
        a = b if (a < b) | (b != b) else a
        return c if (a > c) | (c != c) else a
    if op == OP_FMA:
        if element is double:
            return c_fma(a, b, c)
        elif element is float:
            return c_fmaf(a, b, c)
    return of_two(of_two(a, b, OP_MUL), c, OP_ADD)


# ------------------------------------------------------------------ flat loops


cdef inline void flat_one(element[::1] a, element[::1] x, int op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        x[i] = of_one(a[i], op)


cdef inline void flat_two(element[::1] a, element[::1] b, element[::1] x, int op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        x[i] = of_two(a[i], b[i], op)


cdef inline void flat_left(element a, element[::1] b, element[::1] x, int op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        x[i] = of_two(a, b[i], op)


cdef inline void flat_right(element[::1] a, element b, element[::1] x, int op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        x[i] = of_two(a[i], b, op)


cdef inline void flat_compared(element[::1] a, element[::1] b, uint8_t[::1] x, int op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        x[i] = compared(a[i], b[i], op)


cdef inline void flat_compared_right(element[::1] a, element b, uint8_t[::1] x, int op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        x[i] = compared(a[i], b, op)


cdef inline void flat_three(element[::1] a, element[::1] b, element[::1] c, element[::1] x, int op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        x[i] = of_three(a[i], b[i], c[i], op)


cdef inline void flat_bounds(element[::1] a, element b, element c, element[::1] x, int op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        x[i] = of_three(a[i], b, c, op)


cdef inline void flat_factor(element a, element[::1] b, element[::1] c, element[::1] x, int op) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(x.shape[0]):
        x[i] = of_three(a, b[i], c[i], op)


# --------------------------------------------------------------- strided loops


cdef inline void strided_one(element[:, :, :] a, element[:, :, :] x, int op) noexcept nogil:
    cdef Py_ssize_t i, j, k, stop, start = 0
    while start < x.shape[2]:
        stop = min(start + BLOCK, x.shape[2])
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                for k in range(start, stop):
                    x[i, j, k] = of_one(a[i, j, k], op)
        start = stop


cdef inline void strided_two(element[:, :, :] a, element[:, :, :] b, element[:, :, :] x, int op) noexcept nogil:
    cdef Py_ssize_t i, j, k, stop, start = 0
    while start < x.shape[2]:
        stop = min(start + BLOCK, x.shape[2])
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                for k in range(start, stop):
                    x[i, j, k] = of_two(a[i, j, k], b[i, j, k], op)
        start = stop


cdef inline void strided_right(element[:, :, :] a, element b, element[:, :, :] x, int op) noexcept nogil:
    cdef Py_ssize_t i, j, k, stop, start = 0
    while start < x.shape[2]:
        stop = min(start + BLOCK, x.shape[2])
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                for k in range(start, stop):
                    x[i, j, k] = of_two(a[i, j, k], b, op)
        start = stop


cdef inline void strided_compared(element[:, :, :] a, element[:, :, :] b, uint8_t[:, :, :] x, int op) noexcept nogil:
    cdef Py_ssize_t i, j, k, stop, start = 0
    while start < x.shape[2]:
        stop = min(start + BLOCK, x.shape[2])
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                for k in range(start, stop):
                    x[i, j, k] = compared(a[i, j, k], b[i, j, k], op)
        start = stop


cdef inline void strided_three(element[:, :, :] a, element[:, :, :] b, element[:, :, :] c, element[:, :, :] x,
                               int op) noexcept nogil:
    cdef Py_ssize_t i, j, k, stop, start = 0
    while start < x.shape[2]:
        stop = min(start + BLOCK, x.shape[2])
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                for k in range(start, stop):
                    x[i, j, k] = of_three(a[i, j, k], b[i, j, k], c[i, j, k], op)
        start = stop


# ------------------------------------------------------------ how a run lies


cdef inline bint same(const run_t *run, int k, int j) noexcept nogil:
    """Whether two operands are one, as they are if they begin in one place."""
    return run.op[k].data == run.op[j].data


cdef inline int64_t unary(const run_t *run, int op, element *_) noexcept nogil:
    cdef element[::1] a, x
    cdef element[:, :, :] a3, x3
    if is_dense(run, 0) and is_dense(run, 1):
        flat(a, &run.op[0], run.n)
        flat(x, &run.op[1], run.n)
        if same(run, 0, 1):
            flat_one(x, x, op)
        else:
            flat_one(a, x, op)
        return 0
    tile(a3, &run.op[0], run.n, sizeof(element))
    tile(x3, &run.op[1], run.n, sizeof(element))
    strided_one(a3, x3, op)
    return 0


cdef inline int64_t two(const run_t *run, int op, element *_) noexcept nogil:
    cdef element[::1] a, b, x
    cdef element[:, :, :] a3, b3, x3
    if is_dense(run, 2):
        flat(a, &run.op[0], run.n)
        flat(b, &run.op[1], run.n)
        flat(x, &run.op[2], run.n)
        if is_dense(run, 0) and is_dense(run, 1):
            if same(run, 0, 2):
                if same(run, 1, 2):
                    flat_two(x, x, x, op)
                else:
                    flat_two(x, b, x, op)
            elif same(run, 1, 2):
                flat_two(a, x, x, op)
            else:
                flat_two(a, b, x, op)
            return 0
        if is_dense(run, 0) and is_one(run, 1):
            if same(run, 0, 2):
                flat_right(x, b[0], x, op)
            else:
                flat_right(a, b[0], x, op)
            return 0
        if is_one(run, 0) and is_dense(run, 1):
            if same(run, 1, 2):
                flat_left(a[0], x, x, op)
            else:
                flat_left(a[0], b, x, op)
            return 0
    tile(a3, &run.op[0], run.n, sizeof(element))
    tile(b3, &run.op[1], run.n, sizeof(element))
    tile(x3, &run.op[2], run.n, sizeof(element))
    if is_one(run, 1):
        if same(run, 0, 2):
            strided_right(x3, (<element *> run.op[1].data)[0], x3, op)
        else:
            strided_right(a3, (<element *> run.op[1].data)[0], x3, op)
    else:
        strided_two(a3, b3, x3, op)
    return 0


cdef inline int64_t comparison(const run_t *run, int op, element *_) noexcept nogil:
    """No loops in place: the output is of another type."""
    cdef element[::1] a, b
    cdef uint8_t[::1] x
    cdef element[:, :, :] a3, b3
    cdef uint8_t[:, :, :] x3
    if is_dense(run, 0) and is_dense(run, 2) and (is_dense(run, 1) or is_one(run, 1)):
        flat(a, &run.op[0], run.n)
        flat(b, &run.op[1], run.n)
        flat(x, &run.op[2], run.n)
        if is_dense(run, 1):
            flat_compared(a, b, x, op)
        else:
            flat_compared_right(a, b[0], x, op)
        return 0
    tile(a3, &run.op[0], run.n, sizeof(element))
    tile(b3, &run.op[1], run.n, sizeof(element))
    tile(x3, &run.op[2], run.n, sizeof(uint8_t))
    strided_compared(a3, b3, x3, op)
    return 0


cdef inline int64_t three(const run_t *run, int op, element *_) noexcept nogil:
    cdef element[::1] a, b, c, x
    cdef element[:, :, :] a3, b3, c3, x3
    if is_dense(run, 3):
        flat(a, &run.op[0], run.n)
        flat(b, &run.op[1], run.n)
        flat(c, &run.op[2], run.n)
        flat(x, &run.op[3], run.n)
        if is_dense(run, 0) and is_one(run, 1) and is_one(run, 2):
            if same(run, 0, 3):
                flat_bounds(x, b[0], c[0], x, op)
            else:
                flat_bounds(a, b[0], c[0], x, op)
            return 0
        if is_one(run, 0) and is_dense(run, 1) and is_dense(run, 2):
            if same(run, 2, 3):
                flat_factor(a[0], b, x, x, op)
            else:
                flat_factor(a[0], b, c, x, op)
            return 0
        if is_dense(run, 0) and is_dense(run, 1) and is_dense(run, 2):
            if same(run, 0, 3):
                flat_three(x, b, c, x, op)
            else:
                flat_three(a, b, c, x, op)
            return 0
    tile(a3, &run.op[0], run.n, sizeof(element))
    tile(b3, &run.op[1], run.n, sizeof(element))
    tile(c3, &run.op[2], run.n, sizeof(element))
    tile(x3, &run.op[3], run.n, sizeof(element))
    strided_three(a3, b3, c3, x3, op)
    return 0


# --------------------------------------------------------------------- leaves


cdef int64_t add_leaf(const run_t *run, element *t) noexcept nogil:
    return two(run, OP_ADD, t)


cdef int64_t sub_leaf(const run_t *run, element *t) noexcept nogil:
    return two(run, OP_SUB, t)


cdef int64_t mul_leaf(const run_t *run, element *t) noexcept nogil:
    return two(run, OP_MUL, t)


cdef int64_t minimum_leaf(const run_t *run, element *t) noexcept nogil:
    return two(run, OP_MINIMUM, t)


cdef int64_t maximum_leaf(const run_t *run, element *t) noexcept nogil:
    return two(run, OP_MAXIMUM, t)


cdef int64_t div_leaf(const run_t *run, floating *t) noexcept nogil:
    return two(run, OP_DIV, t)


cdef int64_t equal_leaf(const run_t *run, element *t) noexcept nogil:
    return comparison(run, OP_EQUAL, t)


cdef int64_t not_equal_leaf(const run_t *run, element *t) noexcept nogil:
    return comparison(run, OP_NOT_EQUAL, t)


cdef int64_t less_leaf(const run_t *run, element *t) noexcept nogil:
    return comparison(run, OP_LESS, t)


cdef int64_t less_equal_leaf(const run_t *run, element *t) noexcept nogil:
    return comparison(run, OP_LESS_EQUAL, t)


cdef int64_t greater_leaf(const run_t *run, element *t) noexcept nogil:
    return comparison(run, OP_GREATER, t)


cdef int64_t greater_equal_leaf(const run_t *run, element *t) noexcept nogil:
    return comparison(run, OP_GREATER_EQUAL, t)


cdef int64_t neg_leaf(const run_t *run, element *t) noexcept nogil:
    return unary(run, OP_NEG, t)


cdef int64_t abs_leaf(const run_t *run, element *t) noexcept nogil:
    return unary(run, OP_ABS, t)


cdef int64_t sign_leaf(const run_t *run, element *t) noexcept nogil:
    return unary(run, OP_SIGN, t)


cdef int64_t sqrt_leaf(const run_t *run, floating *t) noexcept nogil:
    return unary(run, OP_SQRT, t)


cdef int64_t floor_leaf(const run_t *run, floating *t) noexcept nogil:
    return unary(run, OP_FLOOR, t)


cdef int64_t ceil_leaf(const run_t *run, floating *t) noexcept nogil:
    return unary(run, OP_CEIL, t)


cdef int64_t trunc_leaf(const run_t *run, floating *t) noexcept nogil:
    return unary(run, OP_TRUNC, t)


cdef int64_t round_leaf(const run_t *run, floating *t) noexcept nogil:
    return unary(run, OP_ROUND, t)


cdef int64_t clamp_leaf(const run_t *run, element *t) noexcept nogil:
    return three(run, OP_CLAMP, t)


cdef int64_t axpy_leaf(const run_t *run, element *t) noexcept nogil:
    return three(run, OP_AXPY, t)


cdef int64_t fma_leaf(const run_t *run, floating *t) noexcept nogil:
    return three(run, OP_FMA, t)


cdef kernels_t kernels


cdef void enter(int typenum, element *_) noexcept:
    kernels.leaf[OP_ADD][typenum] = <leaf_t> add_leaf[element]
    kernels.leaf[OP_SUB][typenum] = <leaf_t> sub_leaf[element]
    kernels.leaf[OP_MUL][typenum] = <leaf_t> mul_leaf[element]
    kernels.leaf[OP_MINIMUM][typenum] = <leaf_t> minimum_leaf[element]
    kernels.leaf[OP_MAXIMUM][typenum] = <leaf_t> maximum_leaf[element]
    kernels.leaf[OP_EQUAL][typenum] = <leaf_t> equal_leaf[element]
    kernels.leaf[OP_NOT_EQUAL][typenum] = <leaf_t> not_equal_leaf[element]
    kernels.leaf[OP_LESS][typenum] = <leaf_t> less_leaf[element]
    kernels.leaf[OP_LESS_EQUAL][typenum] = <leaf_t> less_equal_leaf[element]
    kernels.leaf[OP_GREATER][typenum] = <leaf_t> greater_leaf[element]
    kernels.leaf[OP_GREATER_EQUAL][typenum] = <leaf_t> greater_equal_leaf[element]
    kernels.leaf[OP_NEG][typenum] = <leaf_t> neg_leaf[element]
    kernels.leaf[OP_ABS][typenum] = <leaf_t> abs_leaf[element]
    kernels.leaf[OP_SIGN][typenum] = <leaf_t> sign_leaf[element]
    kernels.leaf[OP_CLAMP][typenum] = <leaf_t> clamp_leaf[element]
    kernels.leaf[OP_AXPY][typenum] = <leaf_t> axpy_leaf[element]


cdef void enter_floating(int typenum, floating *_) noexcept:
    enter(typenum, _)
    kernels.leaf[OP_DIV][typenum] = <leaf_t> div_leaf[floating]
    kernels.leaf[OP_SQRT][typenum] = <leaf_t> sqrt_leaf[floating]
    kernels.leaf[OP_FLOOR][typenum] = <leaf_t> floor_leaf[floating]
    kernels.leaf[OP_CEIL][typenum] = <leaf_t> ceil_leaf[floating]
    kernels.leaf[OP_TRUNC][typenum] = <leaf_t> trunc_leaf[floating]
    kernels.leaf[OP_ROUND][typenum] = <leaf_t> round_leaf[floating]
    kernels.leaf[OP_FMA][typenum] = <leaf_t> fma_leaf[floating]


enter_floating(cnp.NPY_FLOAT32, <float *> NULL)
enter_floating(cnp.NPY_FLOAT64, <double *> NULL)
enter(cnp.NPY_INT8, <int8_t *> NULL)
enter(cnp.NPY_INT16, <int16_t *> NULL)
enter(cnp.NPY_INT32, <int32_t *> NULL)
enter(cnp.NPY_INT64, <int64_t *> NULL)
enter(cnp.NPY_UINT8, <uint8_t *> NULL)
enter(cnp.NPY_UINT16, <uint16_t *> NULL)
enter(cnp.NPY_UINT32, <uint32_t *> NULL)
enter(cnp.NPY_UINT64, <uint64_t *> NULL)


def table():
    """The leaves of this instruction set: a capsule around a ``kernels_t``."""
    return PyCapsule_New(&kernels, KERNELS, NULL)
