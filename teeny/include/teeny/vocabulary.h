/* The words every other header uses: data types, devices, status codes.
 *
 * Data type and device codes are DLPack's, so a DLDataType or a DLDevice can be
 * copied field by field.
 */
#ifndef TEENY_VOCABULARY_H
#define TEENY_VOCABULARY_H

#include <stdint.h>

#ifdef __cplusplus
#define TEENY_STATIC_ASSERT(condition, message) static_assert(condition, message)
#else
#define TEENY_STATIC_ASSERT(condition, message) _Static_assert(condition, message)
#endif

/* More axes than this no producer can describe (NumPy's own limit). */
#define TEENY_MAX_NDIM 64

enum teeny_dtype_code {
    TEENY_INT = 0,
    TEENY_UINT = 1,
    TEENY_FLOAT = 2,
    TEENY_BFLOAT = 4,
    TEENY_COMPLEX = 5,
    TEENY_BOOL = 6
};

enum teeny_device_type {
    TEENY_CPU = 1,
    TEENY_CUDA = 2,
    TEENY_CUDA_HOST = 3,
    TEENY_CUDA_MANAGED = 13
};

typedef struct {
    uint8_t code;    /* enum teeny_dtype_code, or any other DLPack code */
    uint8_t bits;    /* per lane */
    uint16_t lanes;  /* 1 for everything that can be computed on */
} teeny_dtype_t;

typedef struct {
    int32_t type;    /* enum teeny_device_type, or any other DLPack code */
    int32_t id;
} teeny_device_t;

TEENY_STATIC_ASSERT(sizeof(teeny_dtype_t) == 4, "teeny_dtype_t is four bytes");
TEENY_STATIC_ASSERT(sizeof(teeny_device_t) == 8, "teeny_device_t is eight bytes");

/* What a function that runs without the interpreter can report. Negative codes
 * refuse the call as a whole, before anything is written; positive codes are the
 * outcome of one cell. `teeny._core.vocabulary` maps each to its exception. */
enum teeny_status {
    TEENY_OK = 0,
    TEENY_SINGULAR = 1,
    TEENY_ERROR_RANK = -1,      /* more axes kept than there are, or too many */
    TEENY_ERROR_RANGE = -2,     /* an index or a subrange outside the batch */
    TEENY_ERROR_OVERFLOW = -3,  /* a size or an offset does not fit 64 bits */
    TEENY_ERROR_BROADCAST = -4  /* batch axes do not broadcast together */
};

#endif
