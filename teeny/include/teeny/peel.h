/* Cursors over the batch of an array: its leading axes, however many.
 *
 * Everywhere `keep` is minus the number of trailing axes that make a cell, 0 to
 * -ndim. Cells are walked in row-major order of the batch. A cursor points into
 * the carrier's shape and strides, which must outlive it.
 *
 *     teeny_cursor_t cur;
 *     int status = teeny_peel_begin(&cur, &array, -2, lo, hi);
 *     if (status < 0) ...
 *     while (teeny_peel_next(&cur))
 *         ... cur.cell, cur.index[d], cur.linear ...
 */
#ifndef TEENY_PEEL_H
#define TEENY_PEEL_H

#include "layout.h"

typedef struct {
    void *cell;              /* the current cell, after teeny_peel_next said there is one */
    int64_t linear;          /* which cell of the whole batch it is */
    int64_t end;             /* the first cell that is not visited */
    int32_t rank;            /* batch axes */
    int32_t itemsize;        /* bytes per element */
    char *data;              /* cell 0 */
    int64_t offset;          /* bytes from `data` to `cell` */
    const int64_t *shape;    /* of the batch */
    const int64_t *strides;  /* of the batch, in elements */
    int64_t index[TEENY_MAX_NDIM];
} teeny_cursor_t;

TEENY_STATIC_ASSERT(sizeof(teeny_cursor_t) == 64 + 8 * TEENY_MAX_NDIM, "layout of teeny_cursor_t");

static inline int32_t teeny_itemsize(teeny_dtype_t dtype) { return dtype.bits * dtype.lanes / 8; }

/* Number of cells, or a negative status. */
static inline int64_t teeny_size_front(const teeny_anyrank_t *array, int keep)
{
    int64_t size;
    int status;
    if (keep > 0 || keep < -array->ndim)
        return TEENY_ERROR_RANK;
    status = teeny_size(array->ndim + keep, array->shape, &size);
    return status < 0 ? status : size;
}

/* Cell number i, which must lie in the batch, by decoding i: for random access. */
static inline void *teeny_peel_at(const teeny_anyrank_t *array, int keep, int64_t i)
{
    int64_t offset = 0;
    int d;
    for (d = array->ndim + keep - 1; d >= 0; --d) {
        offset += i % array->shape[d] * array->strides[d];
        i /= array->shape[d];
    }
    return (char *)array->data + offset * teeny_itemsize(array->dtype);
}

/* Places the cursor before cell `lo`; it will stop before cell `hi`. */
static inline int teeny_peel_begin(teeny_cursor_t *cur, const teeny_anyrank_t *array, int keep, int64_t lo, int64_t hi)
{
    int64_t cells = teeny_size_front(array, keep), rest = lo;
    int d;
    if (cells < 0)
        return (int)cells;
    if (lo < 0 || lo > hi || hi > cells)
        return TEENY_ERROR_RANGE;
    cur->cell = cur->data = (char *)array->data;
    cur->linear = lo - 1;
    cur->end = hi;
    cur->rank = array->ndim + keep;
    cur->itemsize = teeny_itemsize(array->dtype);
    cur->offset = 0;
    cur->shape = array->shape;
    cur->strides = array->strides;
    if (lo == hi || cur->rank == 0)
        return TEENY_OK;
    for (d = cur->rank - 1; d >= 0; --d) {
        cur->index[d] = rest % cur->shape[d];
        rest /= cur->shape[d];
    }
    /* one step short, so that teeny_peel_next is the same for the first cell as for all others */
    cur->index[cur->rank - 1] -= 1;
    cur->offset = teeny_offset(cur->rank, cur->index, cur->strides) * cur->itemsize;
    return TEENY_OK;
}

/* Moves to the next cell; false if there is none. */
static inline int teeny_peel_next(teeny_cursor_t *cur)
{
    int d;
    if (cur->linear + 1 >= cur->end)
        return 0;
    cur->linear += 1;
    for (d = cur->rank - 1; d >= 0; --d) {
        if (++cur->index[d] < cur->shape[d]) {
            cur->offset += cur->strides[d] * cur->itemsize;
            break;
        }
        cur->offset -= (cur->shape[d] - 1) * cur->strides[d] * cur->itemsize;
        cur->index[d] = 0;
    }
    cur->cell = cur->data + cur->offset;
    return 1;
}

#define TEENY_MAX_TOGETHER 8

/* Cells of several arrays, whose batches are broadcast against each other. */
typedef struct {
    void *cell[TEENY_MAX_TOGETHER];   /* the current cell of each, after teeny_together_next said there is one */
    int64_t linear;                   /* which cell of the whole batch it is */
    int64_t end;                      /* the first that is not visited */
    int64_t cells;                    /* in the whole batch */
    int32_t rank;                     /* batch axes */
    int32_t count;                    /* arrays */
    char *data[TEENY_MAX_TOGETHER];
    int64_t offset[TEENY_MAX_TOGETHER];  /* bytes */
    int64_t shape[TEENY_MAX_NDIM];
    int64_t index[TEENY_MAX_NDIM];
    int64_t step[TEENY_MAX_NDIM][TEENY_MAX_TOGETHER];  /* bytes; 0 where an array is broadcast */
} teeny_together_t;

/* Only cells lo to hi of the whole batch; the cursor, which teeny_together_begin filled, is placed before them. */
static inline int teeny_together_subrange(teeny_together_t *cur, int64_t lo, int64_t hi)
{
    int64_t rest = lo;
    int d, k;
    if (lo < 0 || lo > hi || hi > cur->cells)
        return TEENY_ERROR_RANGE;
    cur->linear = lo - 1;
    cur->end = hi;
    for (k = 0; k < cur->count; ++k)
        cur->offset[k] = 0;
    if (lo == hi || cur->rank == 0)
        return TEENY_OK;
    for (d = cur->rank - 1; d >= 0; --d) {
        cur->index[d] = rest % cur->shape[d] - (d == cur->rank - 1); /* one step short, as above */
        rest /= cur->shape[d];
        for (k = 0; k < cur->count; ++k)
            cur->offset[k] += cur->index[d] * cur->step[d][k];
    }
    return TEENY_OK;
}

/* Places the cursor before the first of all cells, and returns their number, or a negative status. */
static inline int64_t teeny_together_begin(teeny_together_t *cur, const teeny_anyrank_t *const *arrays, const int *keep,
                                           int count)
{
    int64_t size;
    int d, k, axis, status;
    if (count < 1 || count > TEENY_MAX_TOGETHER)
        return TEENY_ERROR_RANGE;
    cur->count = count;
    cur->rank = 0;
    for (k = 0; k < count; ++k) {
        if (keep[k] > 0 || keep[k] < -arrays[k]->ndim)
            return TEENY_ERROR_RANK;
        if (cur->rank < arrays[k]->ndim + keep[k])
            cur->rank = arrays[k]->ndim + keep[k];
        cur->cell[k] = cur->data[k] = (char *)arrays[k]->data;
    }
    for (d = 0; d < cur->rank; ++d) {
        cur->shape[d] = 1;
        for (k = 0; k < count; ++k) {
            axis = d - cur->rank + arrays[k]->ndim + keep[k];
            size = axis < 0 ? 1 : arrays[k]->shape[axis];
            cur->step[d][k] = size == 1 ? 0 : arrays[k]->strides[axis] * teeny_itemsize(arrays[k]->dtype);
            if (size != 1 && cur->shape[d] != 1 && cur->shape[d] != size)
                return TEENY_ERROR_BROADCAST;
            if (size != 1)
                cur->shape[d] = size;
        }
    }
    status = teeny_size(cur->rank, cur->shape, &cur->cells);
    if (status < 0)
        return status;
    teeny_together_subrange(cur, 0, cur->cells);
    return cur->cells;
}

/* Moves to the next cells; false if there are none. */
static inline int teeny_together_next(teeny_together_t *cur)
{
    int d, k;
    if (cur->linear + 1 >= cur->end)
        return 0;
    cur->linear += 1;
    for (d = cur->rank - 1; d >= 0; --d) {
        if (++cur->index[d] < cur->shape[d]) {
            for (k = 0; k < cur->count; ++k)
                cur->offset[k] += cur->step[d][k];
            break;
        }
        for (k = 0; k < cur->count; ++k)
            cur->offset[k] -= (cur->shape[d] - 1) * cur->step[d][k];
        cur->index[d] = 0;
    }
    for (k = 0; k < cur->count; ++k)
        cur->cell[k] = cur->data[k] + cur->offset[k];
    return 1;
}

/* Points a Cython typed memoryview, whose shape and strides are those of a cell, at another cell. */
#define TEENY_CELL_MOVE(slice, pointer) ((slice).data = (char *)(pointer))

#endif
