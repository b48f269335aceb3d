/* Functions of the C library on blocks of numbers: y[i] = f(x[i]).
 *
 * glibc on x86-64 brings a vector math library, libmvec, whose functions are named after
 * the instruction set and the number of lanes; they are called by name, so that
 * neither -ffast-math nor OpenMP is needed. Every number goes through a whole
 * vector, also the last few of a block, so its result does not depend on its place.
 * Elsewhere the library's functions for single numbers do the same work.
 */
#ifndef TEENY_VECTOR_MATH_H
#define TEENY_VECTOR_MATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define TEENY_ONE_BY_ONE(name, suffix, T, f)                                                 \
    static inline void teeny_##name##_##suffix(const T *x, T *y, int64_t n)                  \
    {                                                                                        \
        for (int64_t i = 0; i < n; i++) y[i] = f(x[i]);                                      \
    }

#define TEENY_ONE_BY_ONE_2(name, suffix, T, f)                                               \
    static inline void teeny_##name##_##suffix(const T *a, const T *b, T *y, int64_t n)      \
    {                                                                                        \
        for (int64_t i = 0; i < n; i++) y[i] = f(a[i], b[i]);                                \
    }

#ifdef TEENY_LIBMVEC

#ifdef __AVX512F__
#define TEENY_WIDE 64
#define TEENY_MVEC(arguments, f) _ZGVeN8##arguments##_##f
#define TEENY_MVECF(arguments, f) _ZGVeN16##arguments##_##f
#elif defined(__AVX2__)
#define TEENY_WIDE 32
#define TEENY_MVEC(arguments, f) _ZGVdN4##arguments##_##f
#define TEENY_MVECF(arguments, f) _ZGVdN8##arguments##_##f
#else
#define TEENY_WIDE 16
#define TEENY_MVEC(arguments, f) _ZGVbN2##arguments##_##f
#define TEENY_MVECF(arguments, f) _ZGVbN4##arguments##_##f
#endif

typedef double teeny_wide_f64 __attribute__((vector_size(TEENY_WIDE)));
typedef float teeny_wide_f32 __attribute__((vector_size(TEENY_WIDE)));

/* Numbers from x, the last repeated to fill the vector. */
#define TEENY_WIDE_LOAD(v, x, n)                                                             \
    do {                                                                                     \
        const int64_t most = (int64_t)(sizeof(v) / sizeof(*(x)));                            \
        if ((n) >= most) memcpy(&(v), x, sizeof(v));                                         \
        else for (int64_t k = 0; k < most; k++) (v)[k] = (x)[k < (n) ? k : (n) - 1];         \
    } while (0)

#define TEENY_WIDE_STORE(y, v, n)                                                            \
    do {                                                                                     \
        const int64_t most = (int64_t)(sizeof(v) / sizeof(*(y)));                            \
        memcpy(y, &(v), (size_t)((n) < most ? (n) : most) * sizeof(*(y)));                   \
    } while (0)

#define TEENY_BY_VECTORS(name, suffix, T, f)                                                 \
    teeny_wide_##suffix f(teeny_wide_##suffix);                                              \
    static inline void teeny_##name##_##suffix(const T *x, T *y, int64_t n)                  \
    {                                                                                        \
        teeny_wide_##suffix v;                                                               \
        const int64_t lanes = (int64_t)(sizeof(v) / sizeof(T));                              \
        for (int64_t i = 0; i < n; i += lanes) {                                             \
            TEENY_WIDE_LOAD(v, x + i, n - i);                                                \
            v = f(v);                                                                        \
            TEENY_WIDE_STORE(y + i, v, n - i);                                               \
        }                                                                                    \
    }

#define TEENY_BY_VECTORS_2(name, suffix, T, f)                                               \
    teeny_wide_##suffix f(teeny_wide_##suffix, teeny_wide_##suffix);                         \
    static inline void teeny_##name##_##suffix(const T *a, const T *b, T *y, int64_t n)      \
    {                                                                                        \
        teeny_wide_##suffix v, w;                                                            \
        const int64_t lanes = (int64_t)(sizeof(v) / sizeof(T));                              \
        for (int64_t i = 0; i < n; i += lanes) {                                             \
            TEENY_WIDE_LOAD(v, a + i, n - i);                                                \
            TEENY_WIDE_LOAD(w, b + i, n - i);                                                \
            v = f(v, w);                                                                     \
            TEENY_WIDE_STORE(y + i, v, n - i);                                               \
        }                                                                                    \
    }

TEENY_BY_VECTORS(exp, f64, double, TEENY_MVEC(v, exp))
TEENY_BY_VECTORS(exp, f32, float, TEENY_MVECF(v, expf))
TEENY_BY_VECTORS(log, f64, double, TEENY_MVEC(v, log))
TEENY_BY_VECTORS(log, f32, float, TEENY_MVECF(v, logf))
TEENY_BY_VECTORS(sin, f64, double, TEENY_MVEC(v, sin))
TEENY_BY_VECTORS(sin, f32, float, TEENY_MVECF(v, sinf))
TEENY_BY_VECTORS(cos, f64, double, TEENY_MVEC(v, cos))
TEENY_BY_VECTORS(cos, f32, float, TEENY_MVECF(v, cosf))
TEENY_BY_VECTORS_2(pow, f64, double, TEENY_MVEC(vv, pow))
TEENY_BY_VECTORS_2(pow, f32, float, TEENY_MVECF(vv, powf))

#else

TEENY_ONE_BY_ONE(exp, f64, double, exp)
TEENY_ONE_BY_ONE(exp, f32, float, expf)
TEENY_ONE_BY_ONE(log, f64, double, log)
TEENY_ONE_BY_ONE(log, f32, float, logf)
TEENY_ONE_BY_ONE(sin, f64, double, sin)
TEENY_ONE_BY_ONE(sin, f32, float, sinf)
TEENY_ONE_BY_ONE(cos, f64, double, cos)
TEENY_ONE_BY_ONE(cos, f32, float, cosf)
TEENY_ONE_BY_ONE_2(pow, f64, double, pow)
TEENY_ONE_BY_ONE_2(pow, f32, float, powf)

#endif

#if defined(TEENY_LIBMVEC) && __GLIBC_PREREQ(2, 35)
TEENY_BY_VECTORS(tanh, f64, double, TEENY_MVEC(v, tanh))
TEENY_BY_VECTORS(tanh, f32, float, TEENY_MVECF(v, tanhf))
#else
TEENY_ONE_BY_ONE(tanh, f64, double, tanh)
TEENY_ONE_BY_ONE(tanh, f32, float, tanhf)
#endif

#endif
