/* Four cells side by side: a bundle in structure-of-arrays form.
 *
 * `teeny_lanes_t` holds one float64 of each of TEENY_LANES cells, and a leaf is
 * ordinary arithmetic on such values, each lane a cell of its own. Gathering
 * loads the elements of up to TEENY_LANES cells and widens them; scattering
 * rounds and stores them. A tail of m < TEENY_LANES cells is gathered with its
 * last cell repeated, so that a padding lane does what a real one does and no
 * more, and only the first m lanes are stored.
 *
 * With GNU vector extensions the lanes are SIMD registers on any target; other
 * compilers get one lane, and everything written on top of this still compiles.
 */
#ifndef TEENY_LANES_H
#define TEENY_LANES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__AVX__) || defined(__SSE4_1__)
#include <immintrin.h>
#endif

#if defined(__GNUC__)
#define TEENY_INLINE static inline __attribute__((always_inline))
#define TEENY_NOINLINE static __attribute__((noinline, unused))
#define TEENY_UNROLL _Pragma("GCC unroll 16")
#else
#define TEENY_INLINE static inline
#define TEENY_NOINLINE static
#define TEENY_UNROLL
#endif

#define TEENY_LARGEST_CELL 64  /* elements */

#if defined(__GNUC__) && !defined(__cplusplus)
#define TEENY_LANES 4
typedef double teeny_lanes_t __attribute__((vector_size(32)));
typedef int64_t teeny_lane_mask_t __attribute__((vector_size(32)));
typedef float teeny_lanes_f32_t __attribute__((vector_size(16)));
/* the same where they lie in an array of elements */
typedef double teeny_unaligned_f64_t __attribute__((vector_size(32), aligned(8), may_alias));
typedef float teeny_unaligned_f32_t __attribute__((vector_size(16), aligned(4), may_alias));
#define TEENY_LANE(v, k) ((v)[k])
#else
#define TEENY_LANES 1
typedef double teeny_lanes_t;
typedef int64_t teeny_lane_mask_t;
#define TEENY_LANE(v, k) (*((void)(k), &(v)))
#endif

/* ------------------------------------------------------------- one lane each */

#if TEENY_LANES == 4

TEENY_INLINE teeny_lanes_t teeny_lanes_fill(double x) { return (teeny_lanes_t){x, x, x, x}; }

TEENY_INLINE teeny_lane_mask_t teeny_lanes_gt(teeny_lanes_t a, teeny_lanes_t b) { return a > b; }

TEENY_INLINE teeny_lane_mask_t teeny_lanes_eq(teeny_lanes_t a, teeny_lanes_t b) { return a == b; }

TEENY_INLINE teeny_lane_mask_t teeny_mask_and(teeny_lane_mask_t a, teeny_lane_mask_t b) { return a & b; }

TEENY_INLINE teeny_lane_mask_t teeny_mask_or(teeny_lane_mask_t a, teeny_lane_mask_t b) { return a | b; }

TEENY_INLINE teeny_lane_mask_t teeny_mask_not(teeny_lane_mask_t a) { return ~a; }

TEENY_INLINE teeny_lane_mask_t teeny_mask_none(void) { return (teeny_lane_mask_t){0, 0, 0, 0}; }

/* Where mask, a; elsewhere, b. */
TEENY_INLINE teeny_lanes_t teeny_lanes_select(teeny_lane_mask_t mask, teeny_lanes_t a, teeny_lanes_t b)
{
#if defined(__AVX__)
    return (teeny_lanes_t)_mm256_blendv_pd((__m256d)b, (__m256d)a, (__m256d)mask);
#else
    return (teeny_lanes_t)(((teeny_lane_mask_t)a & mask) | ((teeny_lane_mask_t)b & ~mask));
#endif
}

TEENY_INLINE teeny_lanes_t teeny_lanes_abs(teeny_lanes_t a)
{
    const int64_t m = INT64_MAX;
    return (teeny_lanes_t)((teeny_lane_mask_t)a & (teeny_lane_mask_t){m, m, m, m});
}

TEENY_INLINE int teeny_mask_any(teeny_lane_mask_t mask)
{
#if defined(__AVX__)
    return _mm256_movemask_pd((__m256d)mask);
#else
    return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}

/* To the nearest integer, ties to even. */
TEENY_INLINE teeny_lanes_t teeny_lanes_round(teeny_lanes_t a)
{
#if defined(__AVX__)
    return (teeny_lanes_t)_mm256_round_pd((__m256d)a, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
#else
    return (teeny_lanes_t){rint(a[0]), rint(a[1]), rint(a[2]), rint(a[3])};
#endif
}

/* a where a > b, else b: NaN in either gives b. */
TEENY_INLINE teeny_lanes_t teeny_lanes_max(teeny_lanes_t a, teeny_lanes_t b)
{
#if defined(__AVX__)
    return (teeny_lanes_t)_mm256_max_pd((__m256d)a, (__m256d)b);
#else
    return teeny_lanes_select(a > b, a, b);
#endif
}

/* The rounding error of p = a * b, exactly (short of overflow and underflow).
 * The two ways give the same bits: an error term is unique. */
TEENY_INLINE teeny_lanes_t teeny_lanes_mul_error(teeny_lanes_t a, teeny_lanes_t b, teeny_lanes_t p)
{
#if defined(__FMA__)
    return (teeny_lanes_t)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)p);
#elif defined(__FP_FAST_FMA)
    return (teeny_lanes_t){fma(a[0], b[0], -p[0]), fma(a[1], b[1], -p[1]), fma(a[2], b[2], -p[2]), fma(a[3], b[3], -p[3])};
#else
    const double splitter = 134217729.0;  /* 2**27 + 1 (Dekker 1971) */
    teeny_lanes_t as = a * splitter, bs = b * splitter;
    teeny_lanes_t ah = as - (as - a), bh = bs - (bs - b);
    teeny_lanes_t al = a - ah, bl = b - bh;
    return al * bl - (((p - ah * bh) - al * bh) - ah * bl);
#endif
}

#else

TEENY_INLINE teeny_lanes_t teeny_lanes_fill(double x) { return x; }
TEENY_INLINE teeny_lane_mask_t teeny_lanes_gt(teeny_lanes_t a, teeny_lanes_t b) { return -(a > b); }
TEENY_INLINE teeny_lane_mask_t teeny_lanes_eq(teeny_lanes_t a, teeny_lanes_t b) { return -(a == b); }
TEENY_INLINE teeny_lane_mask_t teeny_mask_and(teeny_lane_mask_t a, teeny_lane_mask_t b) { return a & b; }
TEENY_INLINE teeny_lane_mask_t teeny_mask_or(teeny_lane_mask_t a, teeny_lane_mask_t b) { return a | b; }
TEENY_INLINE teeny_lane_mask_t teeny_mask_not(teeny_lane_mask_t a) { return ~a; }
TEENY_INLINE teeny_lane_mask_t teeny_mask_none(void) { return 0; }
TEENY_INLINE teeny_lanes_t teeny_lanes_select(teeny_lane_mask_t mask, teeny_lanes_t a, teeny_lanes_t b)
{
    return mask ? a : b;
}
TEENY_INLINE teeny_lanes_t teeny_lanes_abs(teeny_lanes_t a) { return fabs(a); }
TEENY_INLINE teeny_lanes_t teeny_lanes_max(teeny_lanes_t a, teeny_lanes_t b) { return a > b ? a : b; }
TEENY_INLINE teeny_lanes_t teeny_lanes_round(teeny_lanes_t a) { return rint(a); }
TEENY_INLINE int teeny_mask_any(teeny_lane_mask_t mask) { return mask != 0; }
TEENY_INLINE teeny_lanes_t teeny_lanes_mul_error(teeny_lanes_t a, teeny_lanes_t b, teeny_lanes_t p) { return fma(a, b, -p); }

#endif

TEENY_INLINE int teeny_mask_lane(teeny_lane_mask_t mask, int k) { return TEENY_LANE(mask, k) != 0; }

/* ------------------------------------------------------ cells to lanes, back */

/* How the cells of a run lie in memory; the same for the whole run. */
enum teeny_cell_order {
    TEENY_CELL_STRIDED = 0,
    TEENY_CELL_DENSE = 1,  /* each cell contiguous, in C order */
    TEENY_CELL_SIDE = 2    /* neighbours of one element contiguous: channel first */
};

TEENY_INLINE int teeny_cell_order(int64_t rows, int64_t cols, int64_t row_stride, int64_t col_stride, int64_t step)
{
    if (step == 1) return TEENY_CELL_SIDE;
    if ((cols == 1 || col_stride == 1) && (rows == 1 || row_stride == cols)) return TEENY_CELL_DENSE;
    return TEENY_CELL_STRIDED;
}

#if TEENY_LANES == 4

TEENY_INLINE teeny_lanes_t teeny_widen_f64(teeny_lanes_t x) { return x; }

TEENY_INLINE teeny_lanes_t teeny_narrow_f64(teeny_lanes_t x) { return x; }

TEENY_INLINE teeny_lanes_t teeny_widen_f32(teeny_lanes_f32_t x)
{
#if defined(__AVX__)
    return (teeny_lanes_t)_mm256_cvtps_pd((__m128)x);  /* gcc would convert by halves */
#else
    return __builtin_convertvector(x, teeny_lanes_t);
#endif
}

TEENY_INLINE teeny_lanes_f32_t teeny_narrow_f32(teeny_lanes_t x)
{
#if defined(__AVX__)
    return (teeny_lanes_f32_t)_mm256_cvtpd_ps((__m256d)x);
#else
    return __builtin_convertvector(x, teeny_lanes_f32_t);
#endif
}

/* Four elements as they are stored, of either type; rows[k][e] and rows[e][k] exchanged. */
#define TEENY_QUAD(T, SUFFIX, QUAD, BITS)                                                                  \
    TEENY_INLINE void teeny_transpose_##SUFFIX(QUAD *rows)                                                 \
    {                                                                                                      \
        typedef BITS index_t __attribute__((vector_size(sizeof(QUAD))));                                   \
        QUAD a = __builtin_shuffle(rows[0], rows[1], (index_t){0, 4, 2, 6});                               \
        QUAD b = __builtin_shuffle(rows[0], rows[1], (index_t){1, 5, 3, 7});                               \
        QUAD c = __builtin_shuffle(rows[2], rows[3], (index_t){0, 4, 2, 6});                               \
        QUAD d = __builtin_shuffle(rows[2], rows[3], (index_t){1, 5, 3, 7});                               \
        rows[0] = __builtin_shuffle(a, c, (index_t){0, 1, 4, 5});                                          \
        rows[1] = __builtin_shuffle(b, d, (index_t){0, 1, 4, 5});                                          \
        rows[2] = __builtin_shuffle(a, c, (index_t){2, 3, 6, 7});                                          \
        rows[3] = __builtin_shuffle(b, d, (index_t){2, 3, 6, 7});                                          \
    }                                                                                                      \
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
        *x = teeny_widen_##SUFFIX((QUAD){p[0], p[step], p[2 * step], p[3 * step]});                        \
    }                                                                                                      \
    TEENY_INLINE void teeny_scatter_one_##SUFFIX(T *p, int64_t step, const teeny_lanes_t *x)               \
    {                                                                                                      \
        QUAD v = teeny_narrow_##SUFFIX(*x);                                                                \
        for (int k = 0; k < 4; k++) p[k * step] = v[k];                                                    \
    }                                                                                                      \
    TEENY_INLINE void teeny_gather_dense_##SUFFIX(const T *p, int64_t step, int size, teeny_lanes_t *x)    \
    {                                                                                                      \
        int e = 0;                                                                                         \
        TEENY_UNROLL for (; e + 4 <= size; e += 4)                                                         \
        {                                                                                                  \
            QUAD rows[4];                                                                                  \
            for (int k = 0; k < 4; k++) rows[k] = *(const teeny_unaligned_##SUFFIX##_t *)(p + k * step + e); \
            teeny_transpose_##SUFFIX(rows);                                                                \
            for (int k = 0; k < 4; k++) x[e + k] = teeny_widen_##SUFFIX(rows[k]);                          \
        }                                                                                                  \
        TEENY_UNROLL for (; e < size; e++) teeny_gather_one_##SUFFIX(p + e, step, x + e);                  \
    }                                                                                                      \
    TEENY_INLINE void teeny_scatter_dense_##SUFFIX(T *p, int64_t step, int size, const teeny_lanes_t *x)   \
    {                                                                                                      \
        int e = 0;                                                                                         \
        TEENY_UNROLL for (; e + 4 <= size; e += 4)                                                         \
        {                                                                                                  \
            QUAD rows[4];                                                                                  \
            for (int k = 0; k < 4; k++) rows[k] = teeny_narrow_##SUFFIX(x[e + k]);                         \
            teeny_transpose_##SUFFIX(rows);                                                                \
            for (int k = 0; k < 4; k++) *(teeny_unaligned_##SUFFIX##_t *)(p + k * step + e) = rows[k];     \
        }                                                                                                  \
        TEENY_UNROLL for (; e < size; e++) teeny_scatter_one_##SUFFIX(p + e, step, x + e);                 \
    }

TEENY_QUAD(float, f32, teeny_lanes_f32_t, int32_t)
TEENY_QUAD(double, f64, teeny_lanes_t, int64_t)

#else

#define TEENY_SINGLE(T, SUFFIX)                                                                            \
    TEENY_INLINE void teeny_load_##SUFFIX(const T *p, teeny_lanes_t *x) { *x = *p; }                       \
    TEENY_INLINE void teeny_store_##SUFFIX(T *p, const teeny_lanes_t *x) { *p = (T)*x; }                   \
    TEENY_INLINE void teeny_gather_one_##SUFFIX(const T *p, int64_t step, teeny_lanes_t *x) { *x = *p; }   \
    TEENY_INLINE void teeny_scatter_one_##SUFFIX(T *p, int64_t step, const teeny_lanes_t *x) { *p = (T)*x; } \
    TEENY_INLINE void teeny_gather_dense_##SUFFIX(const T *p, int64_t step, int size, teeny_lanes_t *x)    \
    {                                                                                                      \
        for (int e = 0; e < size; e++) x[e] = p[e];                                                        \
    }                                                                                                      \
    TEENY_INLINE void teeny_scatter_dense_##SUFFIX(T *p, int64_t step, int size, const teeny_lanes_t *x)   \
    {                                                                                                      \
        for (int e = 0; e < size; e++) p[e] = (T)x[e];                                                     \
    }

TEENY_SINGLE(float, f32)
TEENY_SINGLE(double, f64)

#endif

/* gather: m cells (1 <= m <= TEENY_LANES) of rows x cols elements into x[row * cols + col].
 * scatter: the first m lanes back. `order` is teeny_cell_order of the run. Where rows and
 * cols are constants the lanes stay in registers; a tail takes a detour through memory. */
#define TEENY_CELLS(T, SUFFIX)                                                                             \
    TEENY_NOINLINE void teeny_pad_##SUFFIX(const T *p, int64_t step, int m, int rows, int cols,            \
                                           int64_t rs, int64_t cs, T *dense)                               \
    {                                                                                                      \
        for (int k = 0; k < TEENY_LANES; k++)                                                              \
            for (int i = 0; i < rows; i++)                                                                 \
                for (int j = 0; j < cols; j++)                                                             \
                    *dense++ = p[(k < m ? k : m - 1) * step + i * rs + j * cs];                            \
    }                                                                                                      \
    TEENY_NOINLINE void teeny_unpad_##SUFFIX(T *p, int64_t step, int m, int rows, int cols, int64_t rs,    \
                                             int64_t cs, const T *dense)                                   \
    {                                                                                                      \
        for (int k = 0; k < m; k++)                                                                        \
            for (int i = 0; i < rows; i++)                                                                 \
                for (int j = 0; j < cols; j++) p[k * step + i * rs + j * cs] = *dense++;                   \
    }                                                                                                      \
    TEENY_INLINE void teeny_gather_##SUFFIX(const T *p, int64_t step, int m, int order, int rows,          \
                                            int cols, int64_t rs, int64_t cs, teeny_lanes_t *x)            \
    {                                                                                                      \
        T tail[TEENY_LANES * TEENY_LARGEST_CELL];                                                          \
        if (m < TEENY_LANES) {                                                                             \
            teeny_pad_##SUFFIX(p, step, m, rows, cols, rs, cs, tail);                                      \
            p = tail;                                                                                      \
            step = rows * cols;                                                                            \
            order = TEENY_CELL_DENSE;                                                                      \
        }                                                                                                  \
        if (order == TEENY_CELL_DENSE) {                                                                   \
            teeny_gather_dense_##SUFFIX(p, step, rows * cols, x);                                          \
        } else if (order == TEENY_CELL_SIDE) {                                                             \
            TEENY_UNROLL for (int i = 0; i < rows; i++)                                                    \
                TEENY_UNROLL for (int j = 0; j < cols; j++)                                                \
                    teeny_load_##SUFFIX(p + i * rs + j * cs, x + i * cols + j);                            \
        } else {                                                                                           \
            TEENY_UNROLL for (int i = 0; i < rows; i++)                                                    \
                TEENY_UNROLL for (int j = 0; j < cols; j++)                                                \
                    teeny_gather_one_##SUFFIX(p + i * rs + j * cs, step, x + i * cols + j);                \
        }                                                                                                  \
    }                                                                                                      \
    TEENY_INLINE void teeny_scatter_##SUFFIX(T *p, int64_t step, int m, int order, int rows, int cols,     \
                                             int64_t rs, int64_t cs, const teeny_lanes_t *x)               \
    {                                                                                                      \
        T tail[TEENY_LANES * TEENY_LARGEST_CELL];                                                          \
        if (m < TEENY_LANES) {                                                                             \
            teeny_scatter_dense_##SUFFIX(tail, rows * cols, rows * cols, x);                               \
            teeny_unpad_##SUFFIX(p, step, m, rows, cols, rs, cs, tail);                                    \
        } else if (order == TEENY_CELL_DENSE) {                                                            \
            teeny_scatter_dense_##SUFFIX(p, step, rows * cols, x);                                         \
        } else if (order == TEENY_CELL_SIDE) {                                                             \
            TEENY_UNROLL for (int i = 0; i < rows; i++)                                                    \
                TEENY_UNROLL for (int j = 0; j < cols; j++)                                                \
                    teeny_store_##SUFFIX(p + i * rs + j * cs, x + i * cols + j);                           \
        } else {                                                                                           \
            TEENY_UNROLL for (int i = 0; i < rows; i++)                                                    \
                TEENY_UNROLL for (int j = 0; j < cols; j++)                                                \
                    teeny_scatter_one_##SUFFIX(p + i * rs + j * cs, step, x + i * cols + j);               \
        }                                                                                                  \
    }

TEENY_CELLS(float, f32)
TEENY_CELLS(double, f64)

#endif
