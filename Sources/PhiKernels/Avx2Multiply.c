// Products in AVX2.

#if defined(__x86_64__)

#include "Avx2.h"

#define TARGET AVX2
#define TARGET_INLINE AVX2_INLINE
#define MULTIPLY phi_avx2_multiply

/// See Multiply.h.
AVX2_INLINE void codes_of_words(
    uint32_t low, uint32_t high, const int32_t shifts[8], uint32_t mask, lanes codes[1]) {
    const __m256i words =
        _mm256_set_m128i(_mm_set1_epi32((int32_t)high), _mm_set1_epi32((int32_t)low));
    const __m256i by = _mm256_loadu_si256((const __m256i *)shifts);
    const __m256i masked =
        _mm256_and_si256(_mm256_srlv_epi32(words, by), _mm256_set1_epi32((int32_t)mask));
    codes[0] = _mm256_cvtepi32_ps(masked);
}

/// See Multiply.h.
AVX2_INLINE void codes_of_bytes(const uint8_t *bytes, lanes codes[1]) {
    const __m128i eight = _mm_loadl_epi64((const __m128i *)bytes);
    codes[0] = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight));
}

/// See Multiply.h.
AVX2_INLINE void codes_of_e2m1(uint32_t word, lanes codes[1]) {
    const __m256i by = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    const __m256i shifted = _mm256_srlv_epi32(_mm256_set1_epi32((int32_t)word), by);
    // A permutation reads the lowest three bits; the fourth is the sign.
    const __m256 magnitudes = _mm256_permutevar8x32_ps(
        _mm256_setr_ps(0, 0.5f, 1, 1.5f, 2, 3, 4, 6), shifted);
    const __m256 signs = _mm256_and_ps(
        _mm256_castsi256_ps(_mm256_slli_epi32(shifted, 28)), _mm256_set1_ps(-0.0f));
    codes[0] = _mm256_xor_ps(magnitudes, signs);
}

/// See Multiply.h.
AVX2_INLINE void codes_of_e4m3(const uint8_t *bytes, lanes codes[2]) {
    const __m256i halves = halves_of_e4m3(_mm_loadu_si128((const __m128i *)bytes));
    codes[0] = _mm256_cvtph_ps(_mm256_castsi256_si128(halves));
    codes[1] = _mm256_cvtph_ps(_mm256_extracti128_si256(halves, 1));
}

#include "Multiply.h"

#endif
