/* A few cells side by side: a bundle in structure-of-arrays form.
 *
 * `teeny_lanes_t` holds one float64 of each of TEENY_LANES cells, and a leaf is
 * ordinary arithmetic on such values, each lane a cell of its own. Gathering
 * loads the elements of up to TEENY_LANES cells and widens them; scattering
 * rounds and stores them. A tail of m < TEENY_LANES cells is gathered with its
 * last cell repeated, so that a padding lane does what a real one does and no
 * more, and only the first m lanes are stored.
 *
 * With GNU vector extensions the lanes are one SIMD register; other compilers get
 * one lane, and everything written on top of this still compiles. This header is
 * for C only.
 */
#ifndef TEENY_LANES_H
#define TEENY_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__GNUC__)
#define TEENY_INLINE static inline __attribute__((always_inline))
#define TEENY_NOINLINE static __attribute__((noinline, noclone, unused))
#define TEENY_UNROLL _Pragma("GCC unroll 16")
#define TEENY_PREFETCH(p, writing) __builtin_prefetch(p, writing)
#else
#define TEENY_INLINE static inline
#define TEENY_NOINLINE static
#define TEENY_UNROLL
#define TEENY_PREFETCH(p, writing) ((void)0)
#endif

#define TEENY_LARGEST_CELL 64  /* elements */

#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector) && defined(__AVX512F__) && defined(__AVX512DQ__)
#define TEENY_LANES 8
#elif __has_builtin(__builtin_shufflevector) && defined(__AVX__)
#define TEENY_LANES 4
#elif __has_builtin(__builtin_shufflevector)
#define TEENY_LANES 2
#endif
#endif
#if !defined(TEENY_LANES)
#define TEENY_LANES 1
#endif

#if TEENY_LANES > 1
typedef double teeny_lanes_t __attribute__((vector_size(8 * TEENY_LANES)));
typedef int64_t teeny_lane_bits_t __attribute__((vector_size(8 * TEENY_LANES)));
#if TEENY_LANES == 8
typedef uint8_t teeny_lane_mask_t;   /* a bit per lane */
#else
typedef teeny_lane_bits_t teeny_lane_mask_t;   /* all bits of a lane alike */
#endif
typedef float teeny_lanes_f32_t __attribute__((vector_size(4 * TEENY_LANES)));
/* the same where they lie in an array of elements */
typedef double teeny_unaligned_f64_t __attribute__((vector_size(8 * TEENY_LANES), aligned(8), may_alias));
typedef float teeny_unaligned_f32_t __attribute__((vector_size(4 * TEENY_LANES), aligned(4), may_alias));
#else
typedef double teeny_lanes_t;
typedef int64_t teeny_lane_bits_t;
typedef int64_t teeny_lane_mask_t;
#endif

/* ---------------------------------------------------------------- arithmetic */

#if TEENY_LANES > 1

TEENY_INLINE teeny_lanes_t teeny_lanes_fill(double x) { return x - (teeny_lanes_t){0}; }

TEENY_INLINE teeny_lanes_t teeny_lanes_abs(teeny_lanes_t a)
{
    return (teeny_lanes_t)((teeny_lane_bits_t)a & (INT64_MAX - (teeny_lane_bits_t){0}));
}

#else

TEENY_INLINE teeny_lanes_t teeny_lanes_fill(double x) { return x; }

TEENY_INLINE teeny_lanes_t teeny_lanes_abs(teeny_lanes_t a) { return fabs(a); }

#endif

#if TEENY_LANES == 8

TEENY_INLINE teeny_lane_mask_t teeny_lanes_gt(teeny_lanes_t a, teeny_lanes_t b)
{
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_GT_OQ);
}

TEENY_INLINE teeny_lane_mask_t teeny_lanes_eq(teeny_lanes_t a, teeny_lanes_t b)
{
    return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_EQ_OQ);
}

TEENY_INLINE teeny_lane_mask_t teeny_mask_none(void) { return 0; }

TEENY_INLINE int teeny_mask_lane(teeny_lane_mask_t mask, int k) { return mask >> k & 1; }

TEENY_INLINE teeny_lane_mask_t teeny_mask_not(teeny_lane_mask_t a) { return ~a; }

#elif TEENY_LANES > 1

TEENY_INLINE teeny_lane_mask_t teeny_lanes_gt(teeny_lanes_t a, teeny_lanes_t b) { return a > b; }

TEENY_INLINE teeny_lane_mask_t teeny_lanes_eq(teeny_lanes_t a, teeny_lanes_t b) { return a == b; }

TEENY_INLINE teeny_lane_mask_t teeny_mask_none(void) { return (teeny_lane_mask_t){0}; }

TEENY_INLINE int teeny_mask_lane(teeny_lane_mask_t mask, int k) { return mask[k] != 0; }

TEENY_INLINE teeny_lane_mask_t teeny_mask_not(teeny_lane_mask_t a) { return ~a; }

#else

TEENY_INLINE teeny_lane_mask_t teeny_lanes_gt(teeny_lanes_t a, teeny_lanes_t b) { return -(a > b); }

TEENY_INLINE teeny_lane_mask_t teeny_lanes_eq(teeny_lanes_t a, teeny_lanes_t b) { return -(a == b); }

TEENY_INLINE teeny_lane_mask_t teeny_mask_none(void) { return 0; }

TEENY_INLINE int teeny_mask_lane(teeny_lane_mask_t mask, int k) { return (void)k, mask != 0; }

TEENY_INLINE teeny_lane_mask_t teeny_mask_not(teeny_lane_mask_t a) { return ~a; }

#endif

TEENY_INLINE teeny_lane_mask_t teeny_mask_and(teeny_lane_mask_t a, teeny_lane_mask_t b) { return a & b; }

TEENY_INLINE teeny_lane_mask_t teeny_mask_or(teeny_lane_mask_t a, teeny_lane_mask_t b) { return a | b; }

/* What the vector extensions lack, by the instructions there are. */

TEENY_INLINE int teeny_mask_any(teeny_lane_mask_t mask)
{
#if TEENY_LANES == 8
    return mask;
#elif defined(__AVX__)
    return _mm256_movemask_pd((__m256d)mask);
#elif defined(__SSE2__)
    return _mm_movemask_pd((__m128d)mask);
#else
    int any = 0;
    for (int k = 0; k < TEENY_LANES; k++) any |= teeny_mask_lane(mask, k);
    return any;
#endif
}

/* Where mask, a; elsewhere, b. */
TEENY_INLINE teeny_lanes_t teeny_lanes_select(teeny_lane_mask_t mask, teeny_lanes_t a, teeny_lanes_t b)
{
#if TEENY_LANES == 8
    return (teeny_lanes_t)_mm512_mask_blend_pd(mask, (__m512d)b, (__m512d)a);
#elif defined(__AVX__)
    return (teeny_lanes_t)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#elif defined(__SSE4_1__)
    return (teeny_lanes_t)_mm_blendv_pd((__m128d)b, (__m128d)a, (__m128d)mask);
#elif TEENY_LANES > 1
    return (teeny_lanes_t)(((teeny_lane_mask_t)a & mask) | ((teeny_lane_mask_t)b & ~mask));
#else
    return mask ? a : b;
#endif
}

/* a where a > b, else b: NaN in either gives b. */
TEENY_INLINE teeny_lanes_t teeny_lanes_max(teeny_lanes_t a, teeny_lanes_t b)
{
#if TEENY_LANES == 8
    return (teeny_lanes_t)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX__)
    return (teeny_lanes_t)_mm256_max_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (teeny_lanes_t)_mm_max_pd((__m128d)a, (__m128d)b);
#else
    return teeny_lanes_select(teeny_lanes_gt(a, b), a, b);
#endif
}

/* a where a < b, else b: NaN in either gives b. */
TEENY_INLINE teeny_lanes_t teeny_lanes_min(teeny_lanes_t a, teeny_lanes_t b)
{
#if TEENY_LANES == 8
    return (teeny_lanes_t)_mm512_min_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX__)
    return (teeny_lanes_t)_mm256_min_pd((__m256d)a, (__m256d)b);
#elif defined(__SSE2__)
    return (teeny_lanes_t)_mm_min_pd((__m128d)a, (__m128d)b);
#else
    return teeny_lanes_select(teeny_lanes_gt(b, a), a, b);
#endif
}

/* Where a is NaN. */
TEENY_INLINE teeny_lane_mask_t teeny_lanes_nan(teeny_lanes_t a) { return teeny_mask_not(teeny_lanes_eq(a, a)); }

TEENY_INLINE teeny_lanes_t teeny_lanes_sqrt(teeny_lanes_t a)
{
#if TEENY_LANES == 8
    return (teeny_lanes_t)_mm512_sqrt_pd((__m512d)a);
#elif defined(__AVX__)
    return (teeny_lanes_t)_mm256_sqrt_pd((__m256d)a);
#elif defined(__SSE2__)
    return (teeny_lanes_t)_mm_sqrt_pd((__m128d)a);
#elif TEENY_LANES > 1
    for (int k = 0; k < TEENY_LANES; k++) a[k] = sqrt(a[k]);
    return a;
#else
    return sqrt(a);
#endif
}

/* A power of two, finite and not zero, that brings |a| into [1, 4) if a is a normal number;
 * a subnormal as far up as one can. */
TEENY_INLINE teeny_lanes_t teeny_lanes_unit_scale(teeny_lanes_t a)
{
    teeny_lane_bits_t scale, none;
    memcpy(&scale, &a, sizeof a);
    scale = 2046 - ((scale >> 52) & 2047);
    none = (scale - 1) >> 63; /* infinities, NaN and the largest numbers: the smallest power there is */
    scale = ((scale & ~none) | (1 & none)) << 52;
    memcpy(&a, &scale, sizeof a);
    return a;
}

TEENY_INLINE double teeny_lanes_get(teeny_lanes_t a, int k)
{
    double x[TEENY_LANES];
    memcpy(x, &a, sizeof x);
    return x[k];
}

TEENY_INLINE teeny_lanes_t teeny_lanes_load(const double *x)
{
    teeny_lanes_t a;
    memcpy(&a, x, sizeof a);
    return a;
}

TEENY_INLINE void teeny_lanes_store(double *x, teeny_lanes_t a) { memcpy(x, &a, sizeof a); }

/* To the nearest integer, ties to even. */
TEENY_INLINE teeny_lanes_t teeny_lanes_round(teeny_lanes_t a)
{
#if TEENY_LANES == 8
    return (teeny_lanes_t)_mm512_roundscale_pd((__m512d)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__AVX__)
    return (teeny_lanes_t)_mm256_round_pd((__m256d)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#elif defined(__SSE4_1__)
    return (teeny_lanes_t)_mm_round_pd((__m128d)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    double x[TEENY_LANES];
    memcpy(x, &a, sizeof x);
    for (int k = 0; k < TEENY_LANES; k++) x[k] = nearbyint(x[k]);
    memcpy(&a, x, sizeof x);
    return a;
#endif
}

/* The rounding error of p = a * b, exactly, while 2**-960 < |p| or p is 0, and a and b are
 * below 2**900. It has one value, so the bits are the same with and without fused
 * multiply-add; an error of zero is +0 either way. */
TEENY_INLINE teeny_lanes_t teeny_lanes_mul_error(teeny_lanes_t a, teeny_lanes_t b, teeny_lanes_t p)
{
#if TEENY_LANES == 8
    return (teeny_lanes_t)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)p);
#elif defined(__FMA__) && defined(__AVX__)
    return (teeny_lanes_t)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)p);
#else
    const double splitter = 134217729.0;  /* 2**27 + 1 (Dekker 1971) */
    teeny_lanes_t as = a * splitter, bs = b * splitter;
    teeny_lanes_t ah = as - (as - a), bh = bs - (bs - b);
    teeny_lanes_t al = a - ah, bl = b - bh;
    return (al * bl - (((p - ah * bh) - al * bh) - ah * bl)) + 0.0;
#endif
}

/* ------------------------------------------------------ cells to lanes, back */

/* How the cells of a run lie in memory; the same for the whole run. */
enum teeny_cell_order {
    TEENY_CELL_STRIDED = 0,
    TEENY_CELL_DENSE = 1,  /* each cell contiguous, in C order */
    TEENY_CELL_SIDE = 2,   /* neighbours of one element contiguous: channel first */
    TEENY_CELL_PACKED = 3  /* dense cells without gaps between them */
};

TEENY_INLINE int teeny_cell_order(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride, int64_t step)
{
    if (step == 1) return TEENY_CELL_SIDE;
    if ((cols == 1 || col_stride == 1) && (rows == 1 || row_stride == cols))
        return step == rows * cols ? TEENY_CELL_PACKED : TEENY_CELL_DENSE;
    return TEENY_CELL_STRIDED;
}

/* Where neighbouring cells lie far apart, processors do not foresee the next one: it is
 * asked for this many cells ahead, or memory is waited for at every cell. */
#define TEENY_AHEAD 12
#define TEENY_FAR 512  /* bytes */

#define TEENY_PREFETCH_CELLS(p, step, size, writing, LANES)                                                \
    if ((step) * (int64_t)sizeof *(p) > TEENY_FAR || (step) * (int64_t)sizeof *(p) < -TEENY_FAR)           \
        TEENY_UNROLL for (int k = 0; k < LANES; k++)                                                       \
            TEENY_UNROLL for (size_t byte = 0; byte < (size) * sizeof *(p) + 63; byte += 64)               \
                TEENY_PREFETCH((const char *)((p) + (k + TEENY_AHEAD) * (step)) + byte, writing);

#if TEENY_LANES > 1

TEENY_INLINE teeny_lanes_t teeny_widen_f64(teeny_lanes_t x) { return x; }

TEENY_INLINE teeny_lanes_t teeny_narrow_f64(teeny_lanes_t x) { return x; }

TEENY_INLINE teeny_lanes_t teeny_widen_f32(teeny_lanes_f32_t x)
{
#if TEENY_LANES == 8
    return (teeny_lanes_t)_mm512_cvtps_pd((__m256)x);
#elif defined(__AVX__)
    return (teeny_lanes_t)_mm256_cvtps_pd((__m128)x);  /* gcc would convert by halves */
#else
    return __builtin_convertvector(x, teeny_lanes_t);
#endif
}

TEENY_INLINE teeny_lanes_f32_t teeny_narrow_f32(teeny_lanes_t x)
{
#if TEENY_LANES == 8
    return (teeny_lanes_f32_t)_mm512_cvtpd_ps((__m512d)x);
#elif defined(__AVX__)
    return (teeny_lanes_f32_t)_mm256_cvtpd_ps((__m256d)x);
#else
    return __builtin_convertvector(x, teeny_lanes_f32_t);
#endif
}

#define TEENY_SHUFFLE __builtin_shufflevector

/* Blocks of elements of all cells, loaded as rows and transposed by shuffles that are one
 * instruction each: four elements; of float64 two without AVX-512, whose rows are loaded by
 * halves, which takes half the shuffles; two of everything with two lanes. */
#if TEENY_LANES == 8

/* Row k holds elements of cells k and k + 4; both halves are transposed alike. */
#define TEENY_FOURS(a, b, i, j, k, l)                                                                      \
    TEENY_SHUFFLE(a, b, (i) + ((i) > 3) * 4, (j) + ((j) > 3) * 4, (k) + ((k) > 3) * 4, (l) + ((l) > 3) * 4,\
                  (i) + ((i) > 3) * 4 + 4, (j) + ((j) > 3) * 4 + 4, (k) + ((k) > 3) * 4 + 4,               \
                  (l) + ((l) > 3) * 4 + 4)
TEENY_INLINE teeny_lanes_f32_t teeny_load_row_f32(const float *p, int64_t step)
{
    return (teeny_lanes_f32_t)_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p)), _mm_loadu_ps(p + 4 * step), 1);
}

TEENY_INLINE void teeny_store_row_f32(float *p, int64_t step, teeny_lanes_f32_t row)
{
    _mm_storeu_ps(p, _mm256_castps256_ps128((__m256)row));
    _mm_storeu_ps(p + 4 * step, _mm256_extractf128_ps((__m256)row, 1));
}

TEENY_INLINE teeny_lanes_t teeny_load_row_f64(const double *p, int64_t step)
{
    __m512d low = _mm512_castpd256_pd512(_mm256_loadu_pd(p));
    return (teeny_lanes_t)_mm512_insertf64x4(low, _mm256_loadu_pd(p + 4 * step), 1);
}

TEENY_INLINE void teeny_store_row_f64(double *p, int64_t step, teeny_lanes_t row)
{
    _mm256_storeu_pd(p, _mm512_castpd512_pd256((__m512d)row));
    _mm256_storeu_pd(p + 4 * step, _mm512_extractf64x4_pd((__m512d)row, 1));
}

#else

#define TEENY_FOURS TEENY_SHUFFLE
#define TEENY_ROWS(T, SUFFIX, ROW)                                                                         \
    TEENY_INLINE ROW teeny_load_row_##SUFFIX(const T *p, int64_t step)                                     \
    {                                                                                                      \
        (void)step;                                                                                        \
        return *(const teeny_unaligned_##SUFFIX##_t *)p;                                                   \
    }                                                                                                      \
    TEENY_INLINE void teeny_store_row_##SUFFIX(T *p, int64_t step, ROW row)                                \
    {                                                                                                      \
        (void)step;                                                                                        \
        *(teeny_unaligned_##SUFFIX##_t *)p = row;                                                          \
    }

TEENY_ROWS(float, f32, teeny_lanes_f32_t)
TEENY_ROWS(double, f64, teeny_lanes_t)

#endif

#if TEENY_LANES == 2
#define TEENY_BLOCK_f32 2
#else
#define TEENY_BLOCK_f32 4
#endif
#if TEENY_LANES == 8
#define TEENY_BLOCK_f64 4
#else
#define TEENY_BLOCK_f64 2
#endif

#if TEENY_LANES == 2

TEENY_INLINE void teeny_transpose_f32(teeny_lanes_f32_t *rows)
{
    teeny_lanes_f32_t a = TEENY_SHUFFLE(rows[0], rows[1], 0, 2);
    rows[1] = TEENY_SHUFFLE(rows[0], rows[1], 1, 3);
    rows[0] = a;
}

TEENY_INLINE void teeny_transpose_f64(teeny_lanes_t *rows)
{
    teeny_lanes_t a = TEENY_SHUFFLE(rows[0], rows[1], 0, 2);
    rows[1] = TEENY_SHUFFLE(rows[0], rows[1], 1, 3);
    rows[0] = a;
}

#else

TEENY_INLINE void teeny_transpose_f32(teeny_lanes_f32_t *rows)
{
    teeny_lanes_f32_t a = TEENY_FOURS(rows[0], rows[1], 0, 1, 4, 5);
    teeny_lanes_f32_t b = TEENY_FOURS(rows[2], rows[3], 0, 1, 4, 5);
    teeny_lanes_f32_t c = TEENY_FOURS(rows[0], rows[1], 2, 3, 6, 7);
    teeny_lanes_f32_t d = TEENY_FOURS(rows[2], rows[3], 2, 3, 6, 7);
    rows[0] = TEENY_FOURS(a, b, 0, 2, 4, 6);
    rows[1] = TEENY_FOURS(a, b, 1, 3, 5, 7);
    rows[2] = TEENY_FOURS(c, d, 0, 2, 4, 6);
    rows[3] = TEENY_FOURS(c, d, 1, 3, 5, 7);
}

TEENY_INLINE void teeny_transpose_f64(teeny_lanes_t *rows)
{
    teeny_lanes_t a = TEENY_FOURS(rows[0], rows[1], 0, 4, 2, 6);
    teeny_lanes_t b = TEENY_FOURS(rows[0], rows[1], 1, 5, 3, 7);
    teeny_lanes_t c = TEENY_FOURS(rows[2], rows[3], 0, 4, 2, 6);
    teeny_lanes_t d = TEENY_FOURS(rows[2], rows[3], 1, 5, 3, 7);
    rows[0] = TEENY_FOURS(a, c, 0, 1, 4, 5);
    rows[1] = TEENY_FOURS(b, d, 0, 1, 4, 5);
    rows[2] = TEENY_FOURS(a, c, 2, 3, 6, 7);
    rows[3] = TEENY_FOURS(b, d, 2, 3, 6, 7);
}

#endif

#define TEENY_BLOCKS(T, SUFFIX, ROW)                                                                       \
    TEENY_INLINE void teeny_gather_block_##SUFFIX(const T *p, int64_t step, teeny_lanes_t *x)              \
    {                                                                                                      \
        ROW rows[TEENY_BLOCK_##SUFFIX];                                                                    \
        for (int k = 0; k < TEENY_BLOCK_##SUFFIX; k++) rows[k] = teeny_load_row_##SUFFIX(p + k * step, step); \
        teeny_transpose_##SUFFIX(rows);                                                                    \
        for (int k = 0; k < TEENY_BLOCK_##SUFFIX; k++) x[k] = teeny_widen_##SUFFIX(rows[k]);               \
    }                                                                                                      \
    TEENY_INLINE void teeny_scatter_block_##SUFFIX(T *p, int64_t step, const teeny_lanes_t *x)             \
    {                                                                                                      \
        ROW rows[TEENY_BLOCK_##SUFFIX];                                                                    \
        for (int k = 0; k < TEENY_BLOCK_##SUFFIX; k++) rows[k] = teeny_narrow_##SUFFIX(x[k]);              \
        teeny_transpose_##SUFFIX(rows);                                                                    \
        for (int k = 0; k < TEENY_BLOCK_##SUFFIX; k++) teeny_store_row_##SUFFIX(p + k * step, step, rows[k]); \
    }

TEENY_BLOCKS(float, f32, teeny_lanes_f32_t)

#if TEENY_LANES == 4

typedef double teeny_pair_t __attribute__((vector_size(16), aligned(8), may_alias));

TEENY_INLINE void teeny_gather_block_f64(const double *p, int64_t step, teeny_lanes_t *x)
{
    teeny_pair_t a = *(const teeny_pair_t *)p, b = *(const teeny_pair_t *)(p + step);
    teeny_pair_t c = *(const teeny_pair_t *)(p + 2 * step), d = *(const teeny_pair_t *)(p + 3 * step);
    teeny_lanes_t ac = TEENY_SHUFFLE(a, c, 0, 1, 2, 3), bd = TEENY_SHUFFLE(b, d, 0, 1, 2, 3);
    x[0] = TEENY_SHUFFLE(ac, bd, 0, 4, 2, 6);
    x[1] = TEENY_SHUFFLE(ac, bd, 1, 5, 3, 7);
}

TEENY_INLINE void teeny_scatter_block_f64(double *p, int64_t step, const teeny_lanes_t *x)
{
    teeny_lanes_t ac = TEENY_SHUFFLE(x[0], x[1], 0, 4, 2, 6), bd = TEENY_SHUFFLE(x[0], x[1], 1, 5, 3, 7);
    *(teeny_pair_t *)p = TEENY_SHUFFLE(ac, ac, 0, 1);
    *(teeny_pair_t *)(p + step) = TEENY_SHUFFLE(bd, bd, 0, 1);
    *(teeny_pair_t *)(p + 2 * step) = TEENY_SHUFFLE(ac, ac, 2, 3);
    *(teeny_pair_t *)(p + 3 * step) = TEENY_SHUFFLE(bd, bd, 2, 3);
}

#else

TEENY_BLOCKS(double, f64, teeny_lanes_t)

#endif

#define TEENY_ELEMENTS(T, SUFFIX, ROW)                                                                     \
    TEENY_INLINE void teeny_load_##SUFFIX(const T *p, teeny_lanes_t *x)                                    \
    {                                                                                                      \
        *x = teeny_widen_##SUFFIX(*(const teeny_unaligned_##SUFFIX##_t *)p);                               \
    }                                                                                                      \
    TEENY_INLINE void teeny_store_##SUFFIX(T *p, const teeny_lanes_t *x)                                   \
    {                                                                                                      \
        *(teeny_unaligned_##SUFFIX##_t *)p = teeny_narrow_##SUFFIX(*x);                                    \
    }                                                                                                      \
    TEENY_INLINE void teeny_gather_one_##SUFFIX(const T *p, int64_t step, teeny_lanes_t *x)                \
    {                                                                                                      \
        ROW row;                                                                                           \
        for (int k = 0; k < TEENY_LANES; k++) row[k] = p[k * step];                                        \
        *x = teeny_widen_##SUFFIX(row);                                                                    \
    }                                                                                                      \
    TEENY_INLINE void teeny_scatter_one_##SUFFIX(T *p, int64_t step, const teeny_lanes_t *x)               \
    {                                                                                                      \
        ROW row = teeny_narrow_##SUFFIX(*x);                                                               \
        for (int k = 0; k < TEENY_LANES; k++) p[k * step] = row[k];                                        \
    }

#define TEENY_DENSE(T, SUFFIX, BLOCK)                                                                      \
    TEENY_INLINE void teeny_gather_dense_##SUFFIX(const T *p, int64_t step, int size, teeny_lanes_t *x)    \
    {                                                                                                      \
        int e = 0;                                                                                         \
        TEENY_PREFETCH_CELLS(p, step, size, 0, TEENY_LANES)                                                \
        TEENY_UNROLL for (; e + BLOCK <= size; e += BLOCK) teeny_gather_block_##SUFFIX(p + e, step, x + e);\
        if (TEENY_LANES == 8 && e > 0 && e < size) { /* the last block once more in part */                \
            teeny_gather_block_##SUFFIX(p + size - BLOCK, step, x + size - BLOCK);                         \
            return;                                                                                        \
        }                                                                                                  \
        TEENY_UNROLL for (; e < size; e++) teeny_gather_one_##SUFFIX(p + e, step, x + e);                  \
    }                                                                                                      \
    TEENY_INLINE void teeny_scatter_dense_##SUFFIX(T *p, int64_t step, int size, const teeny_lanes_t *x)   \
    {                                                                                                      \
        int e = 0;                                                                                         \
        TEENY_PREFETCH_CELLS(p, step, size, 1, TEENY_LANES)                                                \
        TEENY_UNROLL for (; e + BLOCK <= size; e += BLOCK) teeny_scatter_block_##SUFFIX(p + e, step, x + e);\
        if (TEENY_LANES == 8 && e > 0 && e < size) {                                                       \
            teeny_scatter_block_##SUFFIX(p + size - BLOCK, step, x + size - BLOCK);                        \
            return;                                                                                        \
        }                                                                                                  \
        TEENY_UNROLL for (; e < size; e++) teeny_scatter_one_##SUFFIX(p + e, step, x + e);                 \
    }

TEENY_ELEMENTS(float, f32, teeny_lanes_f32_t)
TEENY_ELEMENTS(double, f64, teeny_lanes_t)
TEENY_DENSE(float, f32, TEENY_BLOCK_f32)
TEENY_DENSE(double, f64, TEENY_BLOCK_f64)

#else

#define TEENY_SINGLE(T, SUFFIX, BUNDLE)                                                                    \
    TEENY_INLINE void teeny_load_##SUFFIX(const T *p, BUNDLE *x) { *x = *p; }                       \
    TEENY_INLINE void teeny_store_##SUFFIX(T *p, const BUNDLE *x) { *p = (T)*x; }                   \
    TEENY_INLINE void teeny_gather_one_##SUFFIX(const T *p, int64_t step, BUNDLE *x) { *x = *p; }   \
    TEENY_INLINE void teeny_scatter_one_##SUFFIX(T *p, int64_t step, const BUNDLE *x) { *p = (T)*x; } \
    TEENY_INLINE void teeny_gather_dense_##SUFFIX(const T *p, int64_t step, int size, BUNDLE *x)    \
    {                                                                                                      \
        for (int e = 0; e < size; e++) x[e] = p[e];                                                        \
    }                                                                                                      \
    TEENY_INLINE void teeny_scatter_dense_##SUFFIX(T *p, int64_t step, int size, const BUNDLE *x)   \
    {                                                                                                      \
        for (int e = 0; e < size; e++) p[e] = (T)x[e];                                                     \
    }

TEENY_SINGLE(float, f32, teeny_lanes_t)
TEENY_SINGLE(double, f64, teeny_lanes_t)

#endif

/* gather: m cells (1 <= m <= TEENY_LANES) of rows x cols elements into x[row * cols + col].
 * scatter: the first m lanes back. `order` is teeny_cell_order of the run. A whole bundle
 * whose order is a constant, of rows and cols that are constants, is read and written in
 * line, and its lanes stay in registers; everything else goes through memory, out of line. */
#if defined(__GNUC__)
#define TEENY_INLINE_ORDER(order, m, LANES, ORDER) \
    (__builtin_constant_p(order) && __builtin_constant_p(m) && (m) == (LANES) && (order) == (ORDER))
#else
#define TEENY_INLINE_ORDER(order, m, LANES, ORDER) 0
#endif

#define TEENY_CELLS(T, SUFFIX, BUNDLE, LANES)                                                              \
    TEENY_NOINLINE void teeny_gather_any_##SUFFIX(const T *p, int64_t step, int m, int order, int rows,    \
                                                  int cols, int64_t rs, int64_t cs, BUNDLE *x)             \
    {                                                                                                      \
        T tail[LANES * TEENY_LARGEST_CELL], *dense = tail;                                                 \
        if (m < LANES) {                                                                                   \
            for (int k = 0; k < LANES; k++)                                                                \
                for (int i = 0; i < rows; i++)                                                             \
                    for (int j = 0; j < cols; j++)                                                         \
                        *dense++ = p[(k < m ? k : m - 1) * step + i * rs + j * cs];                        \
            p = tail;                                                                                      \
            step = rows * cols;                                                                            \
            order = TEENY_CELL_DENSE;                                                                      \
        }                                                                                                  \
        if (order == TEENY_CELL_DENSE || order == TEENY_CELL_PACKED) {                                     \
            teeny_gather_dense_##SUFFIX(p, step, rows * cols, x);                                          \
        } else if (order == TEENY_CELL_SIDE) {                                                             \
            for (int i = 0; i < rows; i++)                                                                 \
                for (int j = 0; j < cols; j++) teeny_load_##SUFFIX(p + i * rs + j * cs, x++);              \
        } else {                                                                                           \
            TEENY_PREFETCH_CELLS(p, step, rows * cols, 0, LANES)                                           \
            for (int i = 0; i < rows; i++)                                                                 \
                for (int j = 0; j < cols; j++) teeny_gather_one_##SUFFIX(p + i * rs + j * cs, step, x++);  \
        }                                                                                                  \
    }                                                                                                      \
    TEENY_NOINLINE void teeny_scatter_any_##SUFFIX(T *p, int64_t step, int m, int order, int rows,         \
                                                   int cols, int64_t rs, int64_t cs, const BUNDLE *x)      \
    {                                                                                                      \
        T tail[LANES * TEENY_LARGEST_CELL], *dense = tail;                                                 \
        if (m < LANES) {                                                                                   \
            teeny_scatter_dense_##SUFFIX(tail, rows * cols, rows * cols, x);                               \
            for (int k = 0; k < m; k++)                                                                    \
                for (int i = 0; i < rows; i++)                                                             \
                    for (int j = 0; j < cols; j++) p[k * step + i * rs + j * cs] = *dense++;               \
        } else if (order == TEENY_CELL_DENSE || order == TEENY_CELL_PACKED) {                              \
            teeny_scatter_dense_##SUFFIX(p, step, rows * cols, x);                                         \
        } else if (order == TEENY_CELL_SIDE) {                                                             \
            for (int i = 0; i < rows; i++)                                                                 \
                for (int j = 0; j < cols; j++) teeny_store_##SUFFIX(p + i * rs + j * cs, x++);             \
        } else {                                                                                           \
            for (int i = 0; i < rows; i++)                                                                 \
                for (int j = 0; j < cols; j++) teeny_scatter_one_##SUFFIX(p + i * rs + j * cs, step, x++); \
        }                                                                                                  \
    }                                                                                                      \
    TEENY_INLINE void teeny_gather_##SUFFIX(const T *p, int64_t step, int m, int order, int rows,          \
                                            int cols, int64_t rs, int64_t cs, BUNDLE *x)                   \
    {                                                                                                      \
        if (TEENY_INLINE_ORDER(order, m, LANES, TEENY_CELL_DENSE)) {                                       \
            teeny_gather_dense_##SUFFIX(p, step, rows * cols, x);                                          \
        } else if (TEENY_INLINE_ORDER(order, m, LANES, TEENY_CELL_SIDE)) {                                 \
            TEENY_UNROLL for (int i = 0; i < rows; i++)                                                    \
                TEENY_UNROLL for (int j = 0; j < cols; j++)                                                \
                    teeny_load_##SUFFIX(p + i * rs + j * cs, x + i * cols + j);                            \
        } else {                                                                                           \
            teeny_gather_any_##SUFFIX(p, step, m, order, rows, cols, rs, cs, x);                           \
        }                                                                                                  \
    }                                                                                                      \
    TEENY_INLINE void teeny_scatter_##SUFFIX(T *p, int64_t step, int m, int order, int rows, int cols,     \
                                             int64_t rs, int64_t cs, const BUNDLE *x)                      \
    {                                                                                                      \
        if (TEENY_INLINE_ORDER(order, m, LANES, TEENY_CELL_DENSE)) {                                       \
            teeny_scatter_dense_##SUFFIX(p, step, rows * cols, x);                                         \
        } else if (TEENY_INLINE_ORDER(order, m, LANES, TEENY_CELL_SIDE)) {                                 \
            TEENY_UNROLL for (int i = 0; i < rows; i++)                                                    \
                TEENY_UNROLL for (int j = 0; j < cols; j++)                                                \
                    teeny_store_##SUFFIX(p + i * rs + j * cs, x + i * cols + j);                           \
        } else {                                                                                           \
            teeny_scatter_any_##SUFFIX(p, step, m, order, rows, cols, rs, cs, x);                          \
        }                                                                                                  \
    }

TEENY_CELLS(float, f32, teeny_lanes_t, TEENY_LANES)
TEENY_CELLS(double, f64, teeny_lanes_t, TEENY_LANES)

#endif
