/* Samples and bundles: W consecutive samples handled together.
 *
 * Indices have 32 bits: they are the head of the narrow chain of addresses. The
 * caller sees to it that thread + block * block_dim, and W times that for a bundle,
 * fit.
 */
#ifndef TEENY_SAMPLE_H
#define TEENY_SAMPLE_H

#include "vocabulary.h"

typedef struct {
    uint32_t global;  /* in the whole grid */
    uint32_t work;    /* in its block or bundle */
} teeny_sample_t;

typedef struct {
    uint32_t base;   /* its first sample */
    uint32_t width;  /* how many */
} teeny_bundle_t;

/* The first `count` of `width` lanes are inside. */
typedef struct {
    uint32_t count;
    uint32_t width;
} teeny_mask_t;

TEENY_STATIC_ASSERT(sizeof(teeny_sample_t) == 8, "layout of teeny_sample_t");
TEENY_STATIC_ASSERT(sizeof(teeny_bundle_t) == 8, "layout of teeny_bundle_t");
TEENY_STATIC_ASSERT(sizeof(teeny_mask_t) == 8, "layout of teeny_mask_t");

static inline teeny_sample_t teeny_sample(uint32_t thread, uint32_t block, uint32_t block_dim)
{
    teeny_sample_t sample;
    sample.global = block * block_dim + thread;
    sample.work = thread;
    return sample;
}

/* The bundle of samples [width * i, width * i + width). */
static inline teeny_bundle_t teeny_bundle(uint32_t i, uint32_t width)
{
    teeny_bundle_t bundle;
    bundle.base = width * i;
    bundle.width = width;
    return bundle;
}

static inline teeny_sample_t teeny_bundle_lane(teeny_bundle_t bundle, uint32_t k)
{
    teeny_sample_t sample;
    sample.global = bundle.base + k;
    sample.work = k;
    return sample;
}

/* Which lanes are among the first n samples. */
static inline teeny_mask_t teeny_bundle_mask(teeny_bundle_t bundle, int64_t n)
{
    int64_t rest = n - (int64_t)bundle.base;
    teeny_mask_t mask;
    mask.width = bundle.width;
    mask.count = rest < 0 ? 0 : rest < (int64_t)bundle.width ? (uint32_t)rest : bundle.width;
    return mask;
}

static inline int teeny_bundle_mask_lane(teeny_mask_t mask, uint32_t k) { return k < mask.count; }
static inline int teeny_bundle_mask_full(teeny_mask_t mask) { return mask.count == mask.width; }

#endif
