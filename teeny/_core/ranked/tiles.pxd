"""Runs as typed memoryviews: cell i of a run is ``tile[i]``, of up to two axes.

``tile(slice, cells, n, core, itemsize)`` points a typed memoryview of rank 3 at the n cells of one operand, each with
`core` axes; axes that a cell lacks have size 1. No object stands behind it, so the kernel it is passed to must
be compiled with ``initializedcheck=False``, and must not keep it.
"""

cdef extern from *:
    """
    #include "teeny/run.h"

    static inline void teeny_tile(char **data, Py_ssize_t *shape, Py_ssize_t *strides, Py_ssize_t *suboffsets,
                                  const teeny_cells_t *cells, int64_t n, int core, int64_t itemsize)
    {
        *data = (char *)cells->data;
        shape[0] = (Py_ssize_t)n;
        strides[0] = (Py_ssize_t)(cells->step * itemsize);
        for (int axis = 1; axis < 3; axis++) {
            int place = axis - (3 - core);
            shape[axis] = place < 0 ? 1 : (Py_ssize_t)cells->shape[place];
            strides[axis] = place < 0 ? (Py_ssize_t)itemsize : (Py_ssize_t)(cells->strides[place] * itemsize);
        }
        suboffsets[0] = suboffsets[1] = suboffsets[2] = -1;
    }

    #define TEENY_TILE(slice, cells, n, core, itemsize) \\
        teeny_tile(&(slice).data, (slice).shape, (slice).strides, (slice).suboffsets, cells, n, core, itemsize)
    """
    void tile "TEENY_TILE"(...) noexcept nogil
