/* Arithmetic on shapes and strides: sizes, offsets, what an array reaches.
 *
 * Strides are in elements, of any sign. Nothing here wraps around: what does not
 * fit 64 bits is reported as TEENY_ERROR_OVERFLOW.
 */
#ifndef TEENY_LAYOUT_H
#define TEENY_LAYOUT_H

#include "anyrank.h"

/* *c = a op b; true if that does not fit. */
#if defined(__GNUC__) || defined(__clang__)
static inline int teeny_mul_overflows(int64_t a, int64_t b, int64_t *c) { return __builtin_mul_overflow(a, b, c); }
static inline int teeny_add_overflows(int64_t a, int64_t b, int64_t *c) { return __builtin_add_overflow(a, b, c); }
#else
static inline int teeny_mul_overflows(int64_t a, int64_t b, int64_t *c)
{
    *c = (int64_t)((uint64_t)a * (uint64_t)b);
    if (a == 0)
        return 0;
    if (a == -1)
        return b == INT64_MIN;
    return *c / a != b || *c % a != 0;
}

static inline int teeny_add_overflows(int64_t a, int64_t b, int64_t *c)
{
    *c = (int64_t)((uint64_t)a + (uint64_t)b);
    return (a < 0) == (b < 0) && (*c < 0) != (a < 0);
}
#endif

static inline int teeny_is_empty(int ndim, const int64_t *shape)
{
    int d;
    for (d = 0; d < ndim; ++d)
        if (shape[d] == 0)
            return 1;
    return 0;
}

/* The number of elements; 1 for no axes. */
static inline int teeny_size(int ndim, const int64_t *shape, int64_t *size)
{
    int d;
    *size = 1;
    if (teeny_is_empty(ndim, shape))
        return *size = 0, TEENY_OK;
    for (d = 0; d < ndim; ++d)
        if (teeny_mul_overflows(*size, shape[d], size))
            return TEENY_ERROR_OVERFLOW;
    return TEENY_OK;
}

/* Strides of C order: the last axis first. An empty axis counts as one element. */
static inline int teeny_strides_right(int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t step = 1;
    int d;
    for (d = ndim - 1; d >= 0; --d) {
        strides[d] = step;
        if (shape[d] > 1 && teeny_mul_overflows(step, shape[d], &step))
            return TEENY_ERROR_OVERFLOW;
    }
    return TEENY_OK;
}

/* Strides of Fortran order: the first axis first. */
static inline int teeny_strides_left(int ndim, const int64_t *shape, int64_t *strides)
{
    int64_t step = 1;
    int d;
    for (d = 0; d < ndim; ++d) {
        strides[d] = step;
        if (shape[d] > 1 && teeny_mul_overflows(step, shape[d], &step))
            return TEENY_ERROR_OVERFLOW;
    }
    return TEENY_OK;
}

/* The lowest and the highest offset that an index reaches; 0 and -1 if there is no index. */
static inline int teeny_reach(int ndim, const int64_t *shape, const int64_t *strides, int64_t *low, int64_t *high)
{
    int64_t far;
    int64_t *end;
    int d;
    *low = *high = 0;
    if (teeny_is_empty(ndim, shape))
        return *high = -1, TEENY_OK;
    for (d = 0; d < ndim; ++d) {
        end = strides[d] < 0 ? low : high;
        if (teeny_mul_overflows(shape[d] - 1, strides[d], &far) || teeny_add_overflows(*end, far, end))
            return TEENY_ERROR_OVERFLOW;
    }
    return TEENY_OK;
}

/* The same where strides are unsigned: the lowest is 0, and *high holds the bits of a uint64_t. */
static inline int teeny_reach_unsigned(int ndim, const int64_t *shape, const int64_t *strides, int64_t *low,
                                       int64_t *high)
{
    uint64_t most = UINT64_MAX, end = 0, far, stride;
    int d;
    *low = 0;
    if (teeny_is_empty(ndim, shape))
        return *high = -1, TEENY_OK;
    for (d = 0; d < ndim; ++d) {
        far = (uint64_t)shape[d] - 1;
        stride = (uint64_t)strides[d];
        if (far != 0 && stride > (most - end) / far)
            return TEENY_ERROR_OVERFLOW;
        end += far * stride;
    }
    *high = (int64_t)end;
    return TEENY_OK;
}

/* How many elements lie from the lowest to the highest that is reached. */
static inline int teeny_span(int64_t low, int64_t high, int64_t *span)
{
    if (low == INT64_MIN || teeny_add_overflows(high, -low, span) || teeny_add_overflows(*span, 1, span))
        return TEENY_ERROR_OVERFLOW;
    return TEENY_OK;
}

static inline int64_t teeny_offset(int ndim, const int64_t *index, const int64_t *strides)
{
    int64_t offset = 0;
    int d;
    for (d = 0; d < ndim; ++d)
        offset += index[d] * strides[d];
    return offset;
}

/* Whether every offset from low to high, as teeny_reach and teeny_reach_unsigned find them, and every size, lies
 * from least to most. */
static inline int teeny_index_fits(int ndim, const int64_t *shape, int64_t low, int64_t high, int64_t least,
                                   uint64_t most)
{
    int d;
    for (d = 0; d < ndim; ++d)
        if ((uint64_t)shape[d] > most)
            return 0;
    return teeny_is_empty(ndim, shape) || (low >= least && (uint64_t)high <= most);
}

/* Whether the elements lie one after another in C order. The stride of an axis of one element is never seen. */
static inline int teeny_is_right(int ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t step = 1;
    int d;
    if (teeny_is_empty(ndim, shape))
        return 1;
    for (d = ndim - 1; d >= 0; --d)
        if (shape[d] > 1 && (strides[d] != step || teeny_mul_overflows(step, shape[d], &step)))
            return 0;
    return 1;
}

/* The same in Fortran order. */
static inline int teeny_is_left(int ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t step = 1;
    int d;
    if (teeny_is_empty(ndim, shape))
        return 1;
    for (d = 0; d < ndim; ++d)
        if (shape[d] > 1 && (strides[d] != step || teeny_mul_overflows(step, shape[d], &step)))
            return 0;
    return 1;
}

/* Whether every place from the lowest to the highest is one element's: in any order of axes, reversed or not. */
static inline int teeny_is_dense(int ndim, const int64_t *shape, const int64_t *strides)
{
    int64_t step = 1;
    uint64_t left = 0; /* axes that no step was found for yet */
    int d;
    if (teeny_is_empty(ndim, shape))
        return 1;
    for (d = 0; d < ndim; ++d)
        left |= (uint64_t)(shape[d] > 1) << d;
    while (left != 0) {
        for (d = 0; d < ndim; ++d)
            if ((left >> d & 1) && (strides[d] == step || strides[d] == -step))
                break;
        if (d == ndim || teeny_mul_overflows(step, shape[d], &step))
            return 0;
        left &= ~((uint64_t)1 << d);
    }
    return 1;
}

#endif
