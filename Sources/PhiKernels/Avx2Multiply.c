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

#include "Multiply.h"

#endif
