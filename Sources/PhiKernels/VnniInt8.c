// Products with activations rounded to int8 with AVX-512's int8 dot products (VNNI): no intermediate
// 16-bit sums are needed. Two panels of activations take 64-byte registers; fewer rows take 32-byte
// ones, since with wider registers memory would be the limit.

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "include/PhiKernels.h"

#define TARGET __attribute__((target("avx2,fma,f16c,avx512f,avx512vl,avx512vnni")))
#define TARGET_INLINE static inline __attribute__((always_inline)) TARGET
#define PACK_INT8 phi_vnni_pack
#define MULTIPLY_INT8 phi_vnni_multiply_int8

/// See Int8Rows.h.
TARGET_INLINE __m256i dot_codes(
    const __m256i *weights, const int8_t *x, const size_t count, const uint32_t bits) {
    (void)bits;
    __m256i sums = _mm256_setzero_si256();
    for (size_t i = 0; i < count; i++) {
        const __m256i codes = _mm256_loadu_si256((const __m256i *)(x + 32 * i));
        sums = _mm256_dpbusd_epi32(sums, weights[i], codes);
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
            dots[i] = _mm256_dpbusd_epi32(dots[i], _mm256_set1_epi32(word), codes);
        }
    }
}

#define PANEL_PAIRS
#include "Int8Rows.h"

#endif
