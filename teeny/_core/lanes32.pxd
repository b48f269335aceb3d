"""Bundles of float32 cells computed in float32 (see ``teeny/lanes32.h``), as ``lanes_t`` is of float64."""

from libc.stdint cimport int64_t

cdef extern from "teeny/lanes32.h" nogil:
    const int LANES32 "TEENY_LANES32"

    ctypedef float lanes32_t "teeny_lanes32_t"

    void gather_lanes32 "teeny_gather_lanes32"(const float *p, int64_t step, int m, int order, int rows, int cols,
                                               int64_t row_stride, int64_t col_stride, lanes32_t *x) noexcept
    void scatter_lanes32 "teeny_scatter_lanes32"(float *p, int64_t step, int m, int order, int rows, int cols,
                                                 int64_t row_stride, int64_t col_stride, const lanes32_t *x) noexcept
