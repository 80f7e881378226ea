// Dot products of bytes in one instruction (VNNI), as Int8Rows.h and Int8Panels.h expect them: no intermediate
// 16-bit sums are needed. A file that includes this first defines TARGET_INLINE and
// ADD_DOTS_OF_FOUR(sum, a, b): sum[i] + the dot product of four unsigned bytes of a with four signed ones of b.

#include <immintrin.h>
#include <string.h>

#include "include/PhiKernels.h"

/// See Int8Rows.h.
TARGET_INLINE __m256i dot_codes(
    const __m256i *weights, const int8_t *x, const size_t count, const uint32_t bits) {
    (void)bits;
    __m256i sums = _mm256_setzero_si256();
    for (size_t i = 0; i < count; i++) {
        const __m256i codes = _mm256_loadu_si256((const __m256i *)(x + 32 * i));
        sums = ADD_DOTS_OF_FOUR(sums, weights[i], codes);
    }
    return sums;
}

/// See Int8Panels.h. With fewer sums at once the instructions would wait for each other's results.
enum { PANEL_ROWS = 8, CODE_BITS_MAX = 8 };

TARGET_INLINE void dot_panel(
    const uint8_t *const weights[PANEL_ROWS], const __m256i *x, size_t count,
    const phi_code_type type, __m256i dots[PANEL_ROWS]) {
    (void)type;
    for (int i = 0; i < PANEL_ROWS; i++) dots[i] = _mm256_setzero_si256();
    for (size_t four = 0; four < count; four++) {
        const __m256i codes = x[four];
        for (int i = 0; i < PANEL_ROWS; i++) {
            int32_t word;
            memcpy(&word, weights[i] + 4 * four, sizeof word);
            dots[i] = ADD_DOTS_OF_FOUR(dots[i], _mm256_set1_epi32(word), codes);
        }
    }
}
