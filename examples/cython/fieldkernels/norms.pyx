"""Two ways to bring a kernel of one's own to fields ``(*batch, C, C)`` of any rank and any strides.

`invariants` hands a leaf to teeny's driver, which broadcasts, merges and splits the
batch over threads; the leaf sees long runs of cells. `remove_trace` walks the batch
itself with a cursor, each cell a typed memoryview.
"""

cimport cython
from libc.math cimport sqrt
from libc.stdint cimport int64_t

from teeny cimport (AnyRank, anyrank_t, as_anyrank, batch_apply, cell_move, cells_t, cursor_t, import_teeny, leaf_t,
                    peel_begin, peel_next, raise_status, real, run_t, size_front)

import numpy as np
import teeny as tny

from fieldkernels.boundary import operand

import_teeny()  # ImportError beside a teeny that this was not compiled for


# ------------------------------------------------- a leaf, for the driver


cdef int64_t invariants_of_run(const run_t *run, real *_) noexcept nogil:
    """Operands: field (C, C), then trace (), norm ()."""
    cdef const cells_t *field = &run.op[0]
    cdef const cells_t *trace = &run.op[1]
    cdef const cells_t *norm = &run.op[2]
    cdef int64_t size = field.shape[0], down = field.strides[0], across = field.strides[1]
    cdef int64_t cell, i, j
    cdef const real *a
    cdef double diagonal, squares
    for cell in range(run.n):
        a = <const real *> field.data + cell * field.step
        diagonal = squares = 0
        for i in range(size):
            diagonal += a[i * (down + across)]
            for j in range(size):
                squares += <double> a[i * down + j * across] * a[i * down + j * across]
        (<real *> trace.data)[cell * trace.step] = <real> diagonal
        (<real *> norm.data)[cell * norm.step] = <real> sqrt(squares)
    return 0


def invariants(field):
    """The trace and the Frobenius norm of every matrix of a field.

    Parameters
    ----------
    field : (..., C, C) array
        In float32 or float64.

    Returns
    -------
    trace, norm : (...) ndarray
    """
    cdef AnyRank a = matrices(field, "invariants")
    dtype = a.dtype.numpy
    trace = np.empty(a.shape[:-2], dtype)
    norm = np.empty(a.shape[:-2], dtype)
    cdef leaf_t leaf = <leaf_t> invariants_of_run[double]
    if dtype == np.float32:
        leaf = <leaf_t> invariants_of_run[float]
    cdef AnyRank t = as_anyrank(trace), n = as_anyrank(norm)
    cdef anyrank_t[3] operands = [a.c, t.c, n.c]
    cdef int[3] core = [2, 0, 0]
    batch_apply(leaf, NULL, operands, core, 1, 2, 0)
    return trace, norm


# ------------------------------------------- a cursor, and cells with axes


@cython.boundscheck(False)
@cython.wraparound(False)
@cython.cdivision(True)
cdef void remove_traces(cursor_t *cursor, real[:, :] cell) noexcept nogil:
    cdef Py_ssize_t i, size = cell.shape[0]
    cdef double mean
    while peel_next(cursor):
        cell_move(cell, cursor.cell)
        mean = 0
        for i in range(size):
            mean += cell[i, i]
        mean /= size
        for i in range(size):
            cell[i, i] -= <real> mean


def remove_trace(field):
    """Subtract from every matrix of a field, in place, its part along the identity.

    Parameters
    ----------
    field : (..., C, C) array
        In float32 or float64, writable.
    """
    cdef AnyRank a = matrices(field, "remove_trace")
    cdef cursor_t cursor
    cdef float[:, :] cell32
    cdef double[:, :] cell64
    if a.readonly:
        raise ValueError("remove_trace: field: found a read-only array, expected a writable one")
    cdef int64_t cells = size_front(&a.c, -2)
    if cells == 0:
        return
    raise_status(peel_begin(&cursor, &a.c, -2, 0, cells), "remove_trace: field")
    cell = a.peel_front_at(0, -2)
    if a.dtype.numpy == np.float32:
        cell32 = cell
        with nogil:
            remove_traces(&cursor, cell32)
    else:
        cell64 = cell
        with nogil:
            remove_traces(&cursor, cell64)


cdef AnyRank matrices(field, str function):
    """The carrier of a field of square matrices, or an error that says what it is instead."""
    cdef AnyRank a = operand(field, f"{function}: field")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise tny.ShapeError(f"{function}: field: found shape {a.shape}, expected (..., C, C)")
    return a
