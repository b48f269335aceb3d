"""Runs as typed memoryviews, and the numbers they hold.

``flat(slice, cells, n)`` points a memoryview of rank 1, declared ``[::1]``, at n cells of one element that follow each
other. ``tile(slice, cells, n, itemsize)`` points one of rank 3 at n cells of a plan for elements: the two axes of a
cell, then the run. No object stands behind either, so what they are passed to must be compiled with
``initializedcheck=False``, and must not keep them.
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from teeny._core.run cimport run_t

cdef extern from *:
    """
    #include "teeny/run.h"

    /* Elements of a run that are walked before the walk turns to their neighbours in a cell. */
    #define TEENY_BLOCK 256

    #define TEENY_FLAT(slice, cells, n) \\
        ((slice).data = (char *)(cells)->data, (slice).shape[0] = (Py_ssize_t)(n))

    static inline void teeny_tile(char **data, Py_ssize_t *shape, Py_ssize_t *strides, Py_ssize_t *suboffsets,
                                  const teeny_cells_t *cells, int64_t n, int64_t itemsize)
    {
        *data = (char *)cells->data;
        for (int axis = 0; axis < 2; axis++) {
            shape[axis] = (Py_ssize_t)cells->shape[axis];
            strides[axis] = (Py_ssize_t)(cells->strides[axis] * itemsize);
            suboffsets[axis] = -1;
        }
        shape[2] = (Py_ssize_t)n;
        strides[2] = (Py_ssize_t)(cells->step * itemsize);
        suboffsets[2] = -1;
    }

    #define TEENY_TILE(slice, cells, n, itemsize) \\
        teeny_tile(&(slice).data, (slice).shape, (slice).strides, (slice).suboffsets, cells, n, itemsize)
    """
    const Py_ssize_t BLOCK "TEENY_BLOCK"

    void flat "TEENY_FLAT"(...) noexcept nogil
    void tile "TEENY_TILE"(...) noexcept nogil

cdef inline bint is_dense(const run_t *run, int k) noexcept nogil:
    """Whether the elements of operand k follow each other."""
    return run.op[k].step == 1 and run.op[k].shape[0] == 1 and run.op[k].shape[1] == 1


cdef inline bint is_one(const run_t *run, int k) noexcept nogil:
    """Whether operand k is one number for the whole run."""
    return run.op[k].step == 0 and run.op[k].strides[0] == 0 and run.op[k].strides[1] == 0


ctypedef fused floating:
    float
    double

ctypedef fused element:
    float
    double
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t
    uint16_t
    uint32_t
    uint64_t
