"""Bundles of cells as SIMD lanes (see ``teeny/lanes.h``).

To Cython a ``lanes_t`` is a float64; to the C compiler it is one float64 of each
cell of the bundle, so leaves are written as arithmetic on single cells.
"""

from libc.stdint cimport int64_t

cdef extern from "teeny/lanes.h" nogil:
    const int LANES "TEENY_LANES"

    const int PACKED "TEENY_CELL_PACKED"
    const int DENSE "TEENY_CELL_DENSE"
    const int SIDE "TEENY_CELL_SIDE"

    ctypedef double lanes_t "teeny_lanes_t"
    ctypedef int64_t lane_mask_t "teeny_lane_mask_t"

    lanes_t lanes_fill "teeny_lanes_fill"(double x) noexcept
    lanes_t lanes_abs "teeny_lanes_abs"(lanes_t a) noexcept
    lanes_t lanes_min "teeny_lanes_min"(lanes_t a, lanes_t b) noexcept
    lanes_t lanes_max "teeny_lanes_max"(lanes_t a, lanes_t b) noexcept
    lanes_t lanes_sqrt "teeny_lanes_sqrt"(lanes_t a) noexcept
    lanes_t lanes_unit_scale "teeny_lanes_unit_scale"(lanes_t a) noexcept
    lanes_t lanes_round "teeny_lanes_round"(lanes_t a) noexcept
    lanes_t lanes_mul_error "teeny_lanes_mul_error"(lanes_t a, lanes_t b, lanes_t p) noexcept
    lanes_t lanes_select "teeny_lanes_select"(lane_mask_t mask, lanes_t a, lanes_t b) noexcept
    double lanes_get "teeny_lanes_get"(lanes_t a, int k) noexcept
    lanes_t lanes_load "teeny_lanes_load"(const double *x) noexcept
    void lanes_store "teeny_lanes_store"(double *x, lanes_t a) noexcept
    lane_mask_t lanes_gt "teeny_lanes_gt"(lanes_t a, lanes_t b) noexcept
    lane_mask_t lanes_eq "teeny_lanes_eq"(lanes_t a, lanes_t b) noexcept
    lane_mask_t lanes_nan "teeny_lanes_nan"(lanes_t a) noexcept
    lane_mask_t mask_none "teeny_mask_none"() noexcept
    lane_mask_t mask_and "teeny_mask_and"(lane_mask_t a, lane_mask_t b) noexcept
    lane_mask_t mask_or "teeny_mask_or"(lane_mask_t a, lane_mask_t b) noexcept
    lane_mask_t mask_not "teeny_mask_not"(lane_mask_t a) noexcept
    bint mask_any "teeny_mask_any"(lane_mask_t a) noexcept
    bint mask_lane "teeny_mask_lane"(lane_mask_t a, int k) noexcept

    int cell_order "teeny_cell_order"(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride, int64_t step) noexcept
    void gather_f32 "teeny_gather_f32"(const float *p, int64_t step, int m, int order, int rows, int cols,
                                       int64_t row_stride, int64_t col_stride, lanes_t *x) noexcept
    void gather_f64 "teeny_gather_f64"(const double *p, int64_t step, int m, int order, int rows, int cols,
                                       int64_t row_stride, int64_t col_stride, lanes_t *x) noexcept
    void scatter_f32 "teeny_scatter_f32"(float *p, int64_t step, int m, int order, int rows, int cols,
                                         int64_t row_stride, int64_t col_stride, const lanes_t *x) noexcept
    void scatter_f64 "teeny_scatter_f64"(double *p, int64_t step, int m, int order, int rows, int cols,
                                         int64_t row_stride, int64_t col_stride, const lanes_t *x) noexcept
