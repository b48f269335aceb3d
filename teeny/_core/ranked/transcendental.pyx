# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Exponentials, logarithms and trigonometry: one leaf per function and type, by blocks.

What the C library computes, by its vector functions where it has them (see ``teeny/vector_math.h``). Dense runs
are one block; from any other, blocks are gathered.

    functions                dtypes              leaves
    exp log sin cos tanh     float32 float64     10
    pow                      float32 float64     2
                                                 12 in all

This module is compiled once per instruction set; `table` is all it exports.
"""

from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport int64_t

cimport numpy as cnp

from teeny._core.ranked.table cimport KERNELS, OP_COS, OP_EXP, OP_LOG, OP_POW, OP_SIN, OP_TANH, kernels_t
from teeny._core.ranked.tiles cimport BLOCK, floating, is_dense, tile
from teeny._core.run cimport leaf_t, run_t

cdef extern from "teeny/vector_math.h" nogil:
    void teeny_exp_f32(const float *x, float *y, int64_t n)
    void teeny_exp_f64(const double *x, double *y, int64_t n)
    void teeny_log_f32(const float *x, float *y, int64_t n)
    void teeny_log_f64(const double *x, double *y, int64_t n)
    void teeny_sin_f32(const float *x, float *y, int64_t n)
    void teeny_sin_f64(const double *x, double *y, int64_t n)
    void teeny_cos_f32(const float *x, float *y, int64_t n)
    void teeny_cos_f64(const double *x, double *y, int64_t n)
    void teeny_tanh_f32(const float *x, float *y, int64_t n)
    void teeny_tanh_f64(const double *x, double *y, int64_t n)
    void teeny_pow_f32(const float *a, const float *b, float *y, int64_t n)
    void teeny_pow_f64(const double *a, const double *b, double *y, int64_t n)


cdef inline void block_of_one(const floating *x, floating *y, int64_t n, int op) noexcept nogil:
    if floating is float:
        if op == OP_EXP:
            teeny_exp_f32(x, y, n)
        elif op == OP_LOG:
            teeny_log_f32(x, y, n)
        elif op == OP_SIN:
            teeny_sin_f32(x, y, n)
        elif op == OP_COS:
            teeny_cos_f32(x, y, n)
        else:
            teeny_tanh_f32(x, y, n)
    else:
        if op == OP_EXP:
            teeny_exp_f64(x, y, n)
        elif op == OP_LOG:
            teeny_log_f64(x, y, n)
        elif op == OP_SIN:
            teeny_sin_f64(x, y, n)
        elif op == OP_COS:
            teeny_cos_f64(x, y, n)
        else:
            teeny_tanh_f64(x, y, n)


cdef inline void block_of_two(const floating *a, const floating *b, floating *y, int64_t n) noexcept nogil:
    if floating is float:
        teeny_pow_f32(a, b, y, n)
    else:
        teeny_pow_f64(a, b, y, n)


cdef inline void strided_one(floating[:, :, :] a, floating[:, :, :] x, int op) noexcept nogil:
    cdef floating buffer[256]
    cdef Py_ssize_t i, j, k, m, start = 0
    while start < x.shape[2]:
        m = min(BLOCK, x.shape[2] - start)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                for k in range(m):
                    buffer[k] = a[i, j, start + k]
                block_of_one(buffer, buffer, m, op)
                for k in range(m):
                    x[i, j, start + k] = buffer[k]
        start += m


cdef inline void strided_two(floating[:, :, :] a, floating[:, :, :] b, floating[:, :, :] x) noexcept nogil:
    cdef floating left[256]
    cdef floating right[256]
    cdef Py_ssize_t i, j, k, m, start = 0
    while start < x.shape[2]:
        m = min(BLOCK, x.shape[2] - start)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                for k in range(m):
                    left[k] = a[i, j, start + k]
                    right[k] = b[i, j, start + k]
                block_of_two(left, right, left, m)
                for k in range(m):
                    x[i, j, start + k] = left[k]
        start += m


cdef inline int64_t unary(const run_t *run, int op, floating *_) noexcept nogil:
    cdef floating[:, :, :] a, x
    if is_dense(run, 0) and is_dense(run, 1):
        block_of_one(<floating *> run.op[0].data, <floating *> run.op[1].data, run.n, op)
        return 0
    tile(a, &run.op[0], run.n, sizeof(floating))
    tile(x, &run.op[1], run.n, sizeof(floating))
    strided_one(a, x, op)
    return 0


cdef int64_t exp_leaf(const run_t *run, floating *t) noexcept nogil:
    return unary(run, OP_EXP, t)


cdef int64_t log_leaf(const run_t *run, floating *t) noexcept nogil:
    return unary(run, OP_LOG, t)


cdef int64_t sin_leaf(const run_t *run, floating *t) noexcept nogil:
    return unary(run, OP_SIN, t)


cdef int64_t cos_leaf(const run_t *run, floating *t) noexcept nogil:
    return unary(run, OP_COS, t)


cdef int64_t tanh_leaf(const run_t *run, floating *t) noexcept nogil:
    return unary(run, OP_TANH, t)


cdef int64_t pow_leaf(const run_t *run, floating *_) noexcept nogil:
    cdef floating[:, :, :] a, b, x
    if is_dense(run, 0) and is_dense(run, 1) and is_dense(run, 2):
        block_of_two(<floating *> run.op[0].data, <floating *> run.op[1].data, <floating *> run.op[2].data, run.n)
        return 0
    tile(a, &run.op[0], run.n, sizeof(floating))
    tile(b, &run.op[1], run.n, sizeof(floating))
    tile(x, &run.op[2], run.n, sizeof(floating))
    strided_two(a, b, x)
    return 0


cdef kernels_t kernels


cdef void enter(int typenum, floating *_) noexcept:
    kernels.leaf[OP_EXP][typenum] = <leaf_t> exp_leaf[floating]
    kernels.leaf[OP_LOG][typenum] = <leaf_t> log_leaf[floating]
    kernels.leaf[OP_SIN][typenum] = <leaf_t> sin_leaf[floating]
    kernels.leaf[OP_COS][typenum] = <leaf_t> cos_leaf[floating]
    kernels.leaf[OP_TANH][typenum] = <leaf_t> tanh_leaf[floating]
    kernels.leaf[OP_POW][typenum] = <leaf_t> pow_leaf[floating]


enter(cnp.NPY_FLOAT32, <float *> NULL)
enter(cnp.NPY_FLOAT64, <double *> NULL)


def table():
    """The leaves of this instruction set: a capsule around a ``kernels_t``."""
    return PyCapsule_New(&kernels, KERNELS, NULL)
