/* The structs of DLPack 1.x, declared anew: the protocol by which array libraries share memory.
 *
 * Strides are in elements, as everywhere here; NULL strides mean C order. Names differ from
 * DLPack's own header, so that both may be included.
 */
#ifndef TEENY_DLPACK_H
#define TEENY_DLPACK_H

#include <stddef.h>

#include "vocabulary.h"

#define TEENY_DLPACK_MAJOR 1
#define TEENY_DLPACK_MINOR 0

enum teeny_dlpack_flags {
    TEENY_DLPACK_READ_ONLY = 1,
    TEENY_DLPACK_IS_COPIED = 2   /* made for the consumer: nobody else sees this memory */
};

typedef struct {
    void *data;
    teeny_device_t device;
    int32_t ndim;
    teeny_dtype_t dtype;
    int64_t *shape;
    int64_t *strides;
    uint64_t byte_offset;        /* from data to element (0, ..., 0) */
} teeny_dltensor_t;

/* In a capsule named "dltensor". Whoever takes it renames the capsule and calls the deleter once. */
typedef struct teeny_dlmanaged {
    teeny_dltensor_t dl_tensor;
    void *manager_ctx;
    void (*deleter)(struct teeny_dlmanaged *self);  /* may be NULL */
} teeny_dlmanaged_t;

typedef struct {
    uint32_t major;
    uint32_t minor;
} teeny_dlversion_t;

/* In a capsule named "dltensor_versioned". With another major version, only `version` may be read. */
typedef struct teeny_dlversioned {
    teeny_dlversion_t version;
    void *manager_ctx;
    void (*deleter)(struct teeny_dlversioned *self);  /* may be NULL */
    uint64_t flags;              /* enum teeny_dlpack_flags */
    teeny_dltensor_t dl_tensor;
} teeny_dlversioned_t;

TEENY_STATIC_ASSERT(sizeof(void *) == 8, "64-bit platforms only");
TEENY_STATIC_ASSERT(sizeof(teeny_dltensor_t) == 48, "DLTensor");
TEENY_STATIC_ASSERT(offsetof(teeny_dltensor_t, device) == 8, "DLTensor.device");
TEENY_STATIC_ASSERT(offsetof(teeny_dltensor_t, ndim) == 16, "DLTensor.ndim");
TEENY_STATIC_ASSERT(offsetof(teeny_dltensor_t, dtype) == 20, "DLTensor.dtype");
TEENY_STATIC_ASSERT(offsetof(teeny_dltensor_t, shape) == 24, "DLTensor.shape");
TEENY_STATIC_ASSERT(offsetof(teeny_dltensor_t, strides) == 32, "DLTensor.strides");
TEENY_STATIC_ASSERT(offsetof(teeny_dltensor_t, byte_offset) == 40, "DLTensor.byte_offset");
TEENY_STATIC_ASSERT(sizeof(teeny_dlmanaged_t) == 64, "DLManagedTensor");
TEENY_STATIC_ASSERT(offsetof(teeny_dlmanaged_t, manager_ctx) == 48, "DLManagedTensor.manager_ctx");
TEENY_STATIC_ASSERT(offsetof(teeny_dlmanaged_t, deleter) == 56, "DLManagedTensor.deleter");
TEENY_STATIC_ASSERT(sizeof(teeny_dlversioned_t) == 80, "DLManagedTensorVersioned");
TEENY_STATIC_ASSERT(offsetof(teeny_dlversioned_t, manager_ctx) == 8, "DLManagedTensorVersioned.manager_ctx");
TEENY_STATIC_ASSERT(offsetof(teeny_dlversioned_t, deleter) == 16, "DLManagedTensorVersioned.deleter");
TEENY_STATIC_ASSERT(offsetof(teeny_dlversioned_t, flags) == 24, "DLManagedTensorVersioned.flags");
TEENY_STATIC_ASSERT(offsetof(teeny_dlversioned_t, dl_tensor) == 32, "DLManagedTensorVersioned.dl_tensor");

#endif
