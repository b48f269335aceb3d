/* Views as C structs: what is static is not stored.
 *
 * A strided view holds its pointer, its sizes and its strides, in elements. One whose
 * sizes and strides are all static is a bare pointer. All of them are trivially
 * copyable and own nothing.
 */
#ifndef TEENY_VIEW_H
#define TEENY_VIEW_H

#include "layout.h"

/* struct `name`_t, and int name(const teeny_anyrank_t *array, name_t *view): all of `array` as a view of
 * rank `axes` with indices of `type`, or TEENY_ERROR_RANK or TEENY_ERROR_OVERFLOW. */
#define TEENY_DEFINE_VIEW(name, type, axes)                                                                    \
    typedef struct {                                                                                           \
        void *data;                                                                                            \
        type shape[axes];                                                                                      \
        type strides[axes];                                                                                    \
    } name##_t;                                                                                                \
    static inline int name(const teeny_anyrank_t *array, name##_t *view)                                       \
    {                                                                                                          \
        int d;                                                                                                 \
        if (array->ndim != (axes))                                                                             \
            return TEENY_ERROR_RANK;                                                                           \
        for (d = 0; d < (axes); ++d) {                                                                         \
            view->shape[d] = (type)array->shape[d];                                                            \
            view->strides[d] = (type)array->strides[d];                                                        \
            if (view->shape[d] != array->shape[d] || (array->shape[d] > 1 && view->strides[d] != array->strides[d])) \
                return TEENY_ERROR_OVERFLOW;                                                                   \
        }                                                                                                      \
        view->data = array->data;                                                                              \
        return TEENY_OK;                                                                                       \
    }

/* A view whose strides are static, or follow from its sizes, of which `dynamic` are stored. */
#define TEENY_DEFINE_ORDERED_VIEW(name, type, dynamic) \
    typedef struct {                                   \
        void *data;                                    \
        type shape[dynamic];                           \
    } name##_t

typedef struct {
    void *data;
} teeny_static_view_t;

TEENY_DEFINE_VIEW(teeny_view, int64_t, 2)
TEENY_DEFINE_VIEW(teeny_view32, int32_t, 2)

TEENY_STATIC_ASSERT(sizeof(teeny_view_t) == 40, "layout of teeny_view_t");
TEENY_STATIC_ASSERT(sizeof(teeny_view32_t) == 24, "layout of teeny_view32_t");
TEENY_STATIC_ASSERT(sizeof(teeny_static_view_t) == sizeof(void *), "a fully static view is a bare pointer");
TEENY_STATIC_ASSERT(offsetof(teeny_view_t, strides) == 24, "layout of teeny_view_t");
TEENY_STATIC_ASSERT(offsetof(teeny_view32_t, strides) == 16, "layout of teeny_view32_t");

#endif
