// Registers of whole numbers in AVX2, as AttendCodes.h expects them: `words` are numbers of 16 bits,
// `integers` of 32. The file that includes this defines MULTIPLY_ADD_WORDS(sum, a, b): sum[i] +
// a[2 i] * b[2 i] + a[2 i + 1] * b[2 i + 1].
#ifndef STOA_AVX2_WORDS_H
#define STOA_AVX2_WORDS_H

#include "Avx2.h"

/// The words in a register.
enum { WORDS = 2 * LANES };

typedef __m256i words;
typedef __m256i integers;

TARGET_INLINE integers integers_of_zero(void) { return _mm256_setzero_si256(); }

TARGET_INLINE lanes lanes_of_integers(integers x) { return _mm256_cvtepi32_ps(x); }

TARGET_INLINE integers integers_load(const int32_t *numbers) {
    return _mm256_loadu_si256((const __m256i *)numbers);
}

/// The nearest integers.
TARGET_INLINE integers nearest_integers(lanes x) { return _mm256_cvtps_epi32(x); }

/// Writes the nearest integers, -32767 ... 32767, as LANES words.
TARGET_INLINE void store_words(int16_t *target, lanes x) {
    const __m256i numbers = nearest_integers(x);
    _mm_storeu_si128(
        (__m128i *)target,
        _mm_packs_epi32(
            _mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1)));
}

/// WORDS codes as words.
TARGET_INLINE words words_of_codes(const int8_t *codes) {
    return _mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)codes));
}

/// The sum of products of words, in any order: its sum over all lanes is what counts.
TARGET_INLINE integers add_products(integers sum, words a, const int16_t *b) {
    return MULTIPLY_ADD_WORDS(sum, a, _mm256_loadu_si256((const __m256i *)b));
}

/// target[i] = the sum of all numbers of x[i], for four registers.
TARGET_INLINE void store_sums_of_integers(int32_t *target, const integers x[4]) {
    __m256i pairs[2];
    for (int i = 0; i < 2; i++) {
        const __m256i a = x[2 * i];
        const __m256i b = x[2 * i + 1];
        pairs[i] = _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    }
    const __m256i fours = _mm256_add_epi32(
        _mm256_unpacklo_epi64(pairs[0], pairs[1]), _mm256_unpackhi_epi64(pairs[0], pairs[1]));
    _mm_storeu_si128(
        (__m128i *)target,
        _mm_add_epi32(_mm256_castsi256_si128(fours), _mm256_extracti128_si256(fours, 1)));
}

/// WORDS codes of two values, those of the same place side by side.
typedef struct {
    words halves[2];
} code_pairs;

TARGET_INLINE code_pairs pair_codes(const int8_t *first, const int8_t *second) {
    const __m128i a = _mm_loadu_si128((const __m128i *)first);
    const __m128i b = _mm_loadu_si128((const __m128i *)second);
    return (code_pairs){{
        _mm256_cvtepi8_epi16(_mm_unpacklo_epi8(a, b)),
        _mm256_cvtepi8_epi16(_mm_unpackhi_epi8(a, b)),
    }};
}

/// Adds the two values, multiplied by two weights, to WORDS sums.
TARGET_INLINE void add_weighted(integers sums[2], code_pairs pairs, const int16_t weights[2]) {
    int32_t both;
    memcpy(&both, weights, sizeof both);
    const words factors = _mm256_set1_epi32(both);
    for (int i = 0; i < 2; i++) sums[i] = MULTIPLY_ADD_WORDS(sums[i], pairs.halves[i], factors);
}

/// LANES pairs of words.
typedef __m256i word_pairs;

/// The pairs of the integers a[i] and b[i], -32767 ... 32767.
TARGET_INLINE word_pairs word_pairs_of(integers a, integers b) {
    return _mm256_blend_epi16(a, _mm256_slli_epi32(b, 16), 0xAA);
}

/// sum[i] + the products of the words of pair i and the two factors.
TARGET_INLINE integers add_pair_products(
    integers sum, word_pairs pairs, const int16_t factors[2]) {
    int32_t both;
    memcpy(&both, factors, sizeof both);
    return MULTIPLY_ADD_WORDS(sum, pairs, _mm256_set1_epi32(both));
}

#endif
