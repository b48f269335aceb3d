/* Bundles of float32 cells that are computed in float32, as products are: an AVX or SSE
 * register of them. Same functions as in `lanes.h`, same rules. */
#ifndef TEENY_LANES32_H
#define TEENY_LANES32_H

#include "lanes.h"

#if TEENY_LANES > 1

#define TEENY_LANES32 (TEENY_LANES == 8 ? 8 : 2 * TEENY_LANES)
typedef float teeny_lanes32_t __attribute__((vector_size(4 * TEENY_LANES32)));
typedef float teeny_unaligned_lanes32_t __attribute__((vector_size(4 * TEENY_LANES32), aligned(4), may_alias));
typedef float teeny_quad_t __attribute__((vector_size(16)));
typedef float teeny_unaligned_quad_t __attribute__((vector_size(16), aligned(4), may_alias));

TEENY_INLINE void teeny_load_lanes32(const float *p, teeny_lanes32_t *x) { *x = *(const teeny_unaligned_lanes32_t *)p; }

TEENY_INLINE void teeny_store_lanes32(float *p, const teeny_lanes32_t *x) { *(teeny_unaligned_lanes32_t *)p = *x; }

TEENY_INLINE void teeny_gather_one_lanes32(const float *p, int64_t step, teeny_lanes32_t *x)
{
    teeny_lanes32_t row;
    for (int k = 0; k < TEENY_LANES32; k++) row[k] = p[k * step];
    *x = row;
}

TEENY_INLINE void teeny_scatter_one_lanes32(float *p, int64_t step, const teeny_lanes32_t *x)
{
    teeny_lanes32_t row = *x;
    for (int k = 0; k < TEENY_LANES32; k++) p[k * step] = row[k];
}

/* Four elements of cells k and, with eight lanes, k + 4, to and from where they lie. */
#if TEENY_LANES32 == 8
TEENY_INLINE teeny_lanes32_t teeny_load_quads(const float *p, int64_t step)
{
    teeny_quad_t low = *(const teeny_unaligned_quad_t *)p;
    teeny_quad_t high = *(const teeny_unaligned_quad_t *)(p + 4 * step);
    return TEENY_SHUFFLE(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

TEENY_INLINE void teeny_store_quads(float *p, int64_t step, teeny_lanes32_t x)
{
    *(teeny_unaligned_quad_t *)p = TEENY_SHUFFLE(x, x, 0, 1, 2, 3);
    *(teeny_unaligned_quad_t *)(p + 4 * step) = TEENY_SHUFFLE(x, x, 4, 5, 6, 7);
}

#define TEENY_SHUFFLE_QUADS(a, b, i, j, k, l) \
    TEENY_SHUFFLE(a, b, i, j, (k) + 8, (l) + 8, (i) + 4, (j) + 4, (k) + 12, (l) + 12)
#else
TEENY_INLINE teeny_lanes32_t teeny_load_quads(const float *p, int64_t step)
{
    (void)step;
    return *(const teeny_unaligned_quad_t *)p;
}

TEENY_INLINE void teeny_store_quads(float *p, int64_t step, teeny_lanes32_t x)
{
    (void)step;
    *(teeny_unaligned_quad_t *)p = x;
}

#define TEENY_SHUFFLE_QUADS(a, b, i, j, k, l) TEENY_SHUFFLE(a, b, i, j, (k) + 4, (l) + 4)
#endif

/* rows[k][e] and rows[e][k] exchanged, in each group of four lanes. */
TEENY_INLINE void teeny_transpose_quads(teeny_lanes32_t *rows)
{
    teeny_lanes32_t a = TEENY_SHUFFLE_QUADS(rows[0], rows[1], 0, 1, 0, 1);
    teeny_lanes32_t b = TEENY_SHUFFLE_QUADS(rows[2], rows[3], 0, 1, 0, 1);
    teeny_lanes32_t c = TEENY_SHUFFLE_QUADS(rows[0], rows[1], 2, 3, 2, 3);
    teeny_lanes32_t d = TEENY_SHUFFLE_QUADS(rows[2], rows[3], 2, 3, 2, 3);
    rows[0] = TEENY_SHUFFLE_QUADS(a, b, 0, 2, 0, 2);
    rows[1] = TEENY_SHUFFLE_QUADS(a, b, 1, 3, 1, 3);
    rows[2] = TEENY_SHUFFLE_QUADS(c, d, 0, 2, 0, 2);
    rows[3] = TEENY_SHUFFLE_QUADS(c, d, 1, 3, 1, 3);
}

/* Elements e ... e + 3 of all cells. */
TEENY_INLINE void teeny_gather_quads(const float *p, int64_t step, teeny_lanes32_t *x)
{
    for (int k = 0; k < 4; k++) x[k] = teeny_load_quads(p + k * step, step);
    teeny_transpose_quads(x);
}

TEENY_INLINE void teeny_scatter_quads(float *p, int64_t step, const teeny_lanes32_t *x)
{
    teeny_lanes32_t rows[4] = {x[0], x[1], x[2], x[3]};
    teeny_transpose_quads(rows);
    for (int k = 0; k < 4; k++) teeny_store_quads(p + k * step, step, rows[k]);
}

/* Packed vectors of three: every four cells are three groups of four elements. */
TEENY_INLINE void teeny_gather_threes(const float *p, teeny_lanes32_t *x)
{
    teeny_lanes32_t a = teeny_load_quads(p, 3), b = teeny_load_quads(p + 4, 3), c = teeny_load_quads(p + 8, 3);
    teeny_lanes32_t xy = TEENY_SHUFFLE_QUADS(b, c, 2, 3, 1, 2); /* x2 y2 x3 y3 */
    teeny_lanes32_t yz = TEENY_SHUFFLE_QUADS(a, b, 1, 2, 0, 1); /* y0 z0 y1 z1 */
    x[0] = TEENY_SHUFFLE_QUADS(a, xy, 0, 3, 0, 2);
    x[1] = TEENY_SHUFFLE_QUADS(yz, xy, 0, 2, 1, 3);
    x[2] = TEENY_SHUFFLE_QUADS(yz, c, 1, 3, 0, 3);
}

TEENY_INLINE void teeny_scatter_threes(float *p, const teeny_lanes32_t *x)
{
    teeny_lanes32_t xy = TEENY_SHUFFLE_QUADS(x[0], x[1], 0, 2, 0, 2); /* x0 x2 y0 y2 */
    teeny_lanes32_t yz = TEENY_SHUFFLE_QUADS(x[1], x[2], 1, 3, 1, 3); /* y1 y3 z1 z3 */
    teeny_lanes32_t zx = TEENY_SHUFFLE_QUADS(x[2], x[0], 0, 2, 1, 3); /* z0 z2 x1 x3 */
    teeny_store_quads(p, 3, TEENY_SHUFFLE_QUADS(xy, zx, 0, 2, 0, 2));
    teeny_store_quads(p + 4, 3, TEENY_SHUFFLE_QUADS(yz, xy, 0, 2, 1, 3));
    teeny_store_quads(p + 8, 3, TEENY_SHUFFLE_QUADS(zx, yz, 1, 3, 1, 3));
}

TEENY_INLINE void teeny_gather_dense_lanes32(const float *p, int64_t step, int size, teeny_lanes32_t *x)
{
    int e = 0;
    TEENY_PREFETCH_CELLS(p, step, size, 0, TEENY_LANES32)
    if (size == 3 && step == 3) {
        teeny_gather_threes(p, x);
        return;
    }
    TEENY_UNROLL for (; e + 4 <= size; e += 4) teeny_gather_quads(p + e, step, x + e);
    if (e > 0 && e + 1 < size) {
        teeny_gather_quads(p + size - 4, step, x + size - 4);
        return;
    }
    TEENY_UNROLL for (; e < size; e++) teeny_gather_one_lanes32(p + e, step, x + e);
}

TEENY_INLINE void teeny_scatter_dense_lanes32(float *p, int64_t step, int size, const teeny_lanes32_t *x)
{
    int e = 0;
    TEENY_PREFETCH_CELLS(p, step, size, 1, TEENY_LANES32)
    if (size == 3 && step == 3) {
        teeny_scatter_threes(p, x);
        return;
    }
    TEENY_UNROLL for (; e + 4 <= size; e += 4) teeny_scatter_quads(p + e, step, x + e);
    if (e > 0 && e + 1 < size) {
        teeny_scatter_quads(p + size - 4, step, x + size - 4);
        return;
    }
    TEENY_UNROLL for (; e < size; e++) teeny_scatter_one_lanes32(p + e, step, x + e);
}

#else

#define TEENY_LANES32 1
typedef float teeny_lanes32_t;

TEENY_SINGLE(float, lanes32, teeny_lanes32_t)

#endif

TEENY_CELLS(float, lanes32, teeny_lanes32_t, TEENY_LANES32)

#endif
