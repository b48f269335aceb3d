/* Views as C structs: what is static is not stored.
 *
 * A strided view holds its pointer, its sizes and its strides, in elements. One whose
 * sizes and strides are all static is a bare pointer. All of them are trivially
 * copyable and own nothing.
 */
#ifndef TEENY_VIEW_H
#define TEENY_VIEW_H

#include "layout.h"

/* The fields of a strided view of another rank or index type. */
#define TEENY_VIEW_FIELDS(type, axes) \
    void *data;                       \
    type shape[axes];                 \
    type strides[axes]

/* Those of a view whose strides are static, or follow from its sizes, of which `dynamic` are stored. */
#define TEENY_ORDERED_VIEW_FIELDS(type, dynamic) \
    void *data;                                  \
    type shape[dynamic]

/* The size of an axis of any of them: in the view's own type, for the chain of addresses; and wide, for the guard that
 * must see what that type would wrap. */
#define TEENY_EXTENT(view, axis) ((view).shape[axis])
#define TEENY_EXTENT_WIDE(view, axis) ((int64_t)(view).shape[axis])

/* int name(const teeny_anyrank_t *array, view_t *view): all of `array` as a strided view of its rank,
 * or TEENY_ERROR_RANK or TEENY_ERROR_OVERFLOW. */
#define TEENY_DEFINE_VIEW_FILL(name, view_t)                                     \
    static inline int name(const teeny_anyrank_t *array, view_t *view)           \
    {                                                                            \
        const int axes = (int)(sizeof view->shape / sizeof view->shape[0]);      \
        int d;                                                                   \
        if (array->ndim != axes)                                                 \
            return TEENY_ERROR_RANK;                                             \
        for (d = 0; d < axes; ++d) {                                             \
            view->shape[d] = array->shape[d];                                    \
            view->strides[d] = array->strides[d];                                \
            if (view->shape[d] != array->shape[d])                               \
                return TEENY_ERROR_OVERFLOW;                                     \
            if (view->strides[d] != array->strides[d] && array->shape[d] > 1)    \
                return TEENY_ERROR_OVERFLOW;                                     \
        }                                                                        \
        view->data = array->data;                                                \
        return TEENY_OK;                                                         \
    }

typedef struct {
    void *data;
    int64_t shape[2];
    int64_t strides[2];
} teeny_view_t;

typedef struct {
    void *data;
    int32_t shape[2];
    int32_t strides[2];
} teeny_view32_t;

typedef struct {
    void *data;
} teeny_static_view_t;

TEENY_DEFINE_VIEW_FILL(teeny_view_fill, teeny_view_t)
TEENY_DEFINE_VIEW_FILL(teeny_view32_fill, teeny_view32_t)

TEENY_STATIC_ASSERT(sizeof(teeny_view_t) == 40, "layout of teeny_view_t");
TEENY_STATIC_ASSERT(sizeof(teeny_view32_t) == 24, "layout of teeny_view32_t");
TEENY_STATIC_ASSERT(sizeof(teeny_static_view_t) == sizeof(void *), "a fully static view is a bare pointer");
TEENY_STATIC_ASSERT(offsetof(teeny_view_t, strides) == 24, "layout of teeny_view_t");
TEENY_STATIC_ASSERT(offsetof(teeny_view32_t, strides) == 16, "layout of teeny_view32_t");

#endif
