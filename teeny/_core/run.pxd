"""The contract between the driver and a leaf (see ``teeny/run.h``)."""

from libc.stdint cimport int64_t

cdef extern from "teeny/run.h" nogil:
    const int MAX_OPERANDS "TEENY_MAX_OPERANDS"

    enum:
        CELL_FAILED "TEENY_CELL_FAILED"
        CELL_UNDEFINED "TEENY_CELL_UNDEFINED"

    ctypedef struct cells_t "teeny_cells_t":
        void *data
        int64_t step
        const int64_t *shape
        const int64_t *strides

    ctypedef struct run_t "teeny_run_t":
        int64_t n
        void *context
        cells_t op[8]

    ctypedef int64_t (*leaf_t "teeny_leaf_t")(const run_t *run) noexcept
