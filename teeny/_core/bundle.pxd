"""Samples and bundles in C (see ``teeny/sample.h``)."""

from libc.stdint cimport int64_t, uint32_t

cdef extern from "teeny/sample.h" nogil:
    ctypedef struct sample_t "teeny_sample_t":
        uint32_t global_ "global"
        uint32_t work

    ctypedef struct bundle_t "teeny_bundle_t":
        uint32_t base
        uint32_t width

    ctypedef struct mask_t "teeny_mask_t":
        uint32_t count
        uint32_t width

    sample_t sample "teeny_sample"(uint32_t thread, uint32_t block, uint32_t block_dim) noexcept
    bundle_t bundle "teeny_bundle"(uint32_t i, uint32_t width) noexcept
    sample_t bundle_lane "teeny_bundle_lane"(bundle_t bundle, uint32_t k) noexcept
    mask_t bundle_mask "teeny_bundle_mask"(bundle_t bundle, int64_t n) noexcept
    bint mask_lane "teeny_bundle_mask_lane"(mask_t mask, uint32_t k) noexcept
    bint mask_full "teeny_bundle_mask_full"(mask_t mask) noexcept

cdef class SampleIndex:
    cdef sample_t c

cdef class BundleIndex:
    cdef bundle_t c

cdef class Mask:
    cdef mask_t c
