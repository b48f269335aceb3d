/* The carrier: a rank-erased strided array.
 *
 * `teeny_anyrank_t` points at the producer's (or its owner's) shape and strides
 * and lives on the host. The stores hold theirs inline, are trivially copyable
 * and may be passed by value, to a CUDA kernel too. Strides are in ELEMENTS
 * everywhere. Nothing here owns memory.
 */
#ifndef TEENY_ANYRANK_H
#define TEENY_ANYRANK_H

#include <stddef.h>

#include "vocabulary.h"

#define TEENY_STORE_RANK 32

enum teeny_space {
    TEENY_VIEW = 0,      /* host memory */
    TEENY_PINNED = 1,    /* page-locked host memory */
    TEENY_MAPPED = 2,    /* managed memory, reachable from both sides */
    TEENY_GPU_VIEW = 3   /* device memory, never dereferenced on the host */
};

enum teeny_flags {
    TEENY_READONLY = 1,
    TEENY_UNALIGNED = 2  /* some element does not lie at a multiple of its alignment */
};

typedef struct {
    void *data;              /* element (0, ..., 0) */
    const int64_t *shape;    /* ndim sizes */
    const int64_t *strides;  /* ndim strides, in elements, of any sign */
    int32_t ndim;
    uint32_t flags;          /* enum teeny_flags */
    teeny_dtype_t dtype;
    uint32_t space;          /* enum teeny_space */
    teeny_device_t device;
} teeny_anyrank_t;

typedef struct {
    void *data;
    int64_t ndim;
    int64_t shape[TEENY_STORE_RANK];
    int64_t strides[TEENY_STORE_RANK];
} teeny_anyrank64_t;

typedef struct {
    void *data;
    int64_t ndim;
    int32_t shape[TEENY_STORE_RANK];
    int32_t strides[TEENY_STORE_RANK];
} teeny_anyrank32_t;

TEENY_STATIC_ASSERT(sizeof(void *) == 8, "64-bit platforms only");
TEENY_STATIC_ASSERT(sizeof(teeny_anyrank_t) == 48, "layout of teeny_anyrank_t");
TEENY_STATIC_ASSERT(sizeof(teeny_anyrank64_t) == 8 + 8 + 32 * 2 * 8, "64-bit store");
TEENY_STATIC_ASSERT(sizeof(teeny_anyrank32_t) == 8 + 8 + 32 * 2 * 4, "32-bit store");

#endif
