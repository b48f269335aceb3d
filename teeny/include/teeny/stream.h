/* Copies past the caches, for results so large that they would only push other data out.
 *
 * An ordinary store reads the line it writes to first; these do not. */
#ifndef TEENY_STREAM_H
#define TEENY_STREAM_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

#define TEENY_STREAM_BLOCK 4096      /* bytes: computed in the first cache, then copied out */
#define TEENY_STREAM_LEAST (1 << 22) /* bytes from which a result does not stay in the cache anyway */

static inline void teeny_stream(char *to, const char *from, int64_t bytes)
{
#if defined(__SSE2__) || defined(_M_X64)
    int64_t head = -(int64_t)(intptr_t)to & 63;
    if (head > bytes) head = bytes;
    memcpy(to, from, head);
    for (to += head, from += head, bytes -= head; bytes >= 64; to += 64, from += 64, bytes -= 64)
        for (int k = 0; k < 64; k += 16)
            _mm_stream_si128((__m128i *)(to + k), _mm_loadu_si128((const __m128i *)(from + k)));
#endif
    memcpy(to, from, bytes);
}

/* Once after the last, before another thread is told. */
static inline void teeny_stream_end(void)
{
#if defined(__SSE2__) || defined(_M_X64)
    _mm_sfence();
#endif
}

#endif
