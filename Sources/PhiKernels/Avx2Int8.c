// Products with activations rounded to int8 in AVX2.

#if defined(__x86_64__)

#include "Avx2.h"
#include "KernelTables.h"

#define TARGET AVX2
#define TARGET_INLINE AVX2_INLINE
#define PACK_INT8 phi_avx2_pack
#define MULTIPLY_INT8 phi_avx2_multiply_int8

/// See Int8Rows.h.
AVX2_INLINE __m256i dot_codes(
    const __m256i *weights, const int8_t *x, const size_t count, const uint32_t bits) {
    const __m256i ones = _mm256_set1_epi16(1);
    const __m256i low = _mm256_set1_epi8(15);
    // The sum of two products of 4-bit and 8-bit codes is at most 3810, so eight such sums fit into
    // 16 bits; with E2M1 codes there is only one. Weight codes of 8 bits would not fit, so they are split as 16 * high + low.
    __m256i sums = _mm256_setzero_si256();
    __m256i sums_of_high = _mm256_setzero_si256();
    for (size_t i = 0; i < count; i++) {
        const __m256i codes = _mm256_loadu_si256((const __m256i *)(x + 32 * i));
        if (bits == 4) {
            sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(weights[i], codes));
        } else {
            const __m256i high = _mm256_and_si256(_mm256_srli_epi16(weights[i], 4), low);
            const __m256i rest = _mm256_and_si256(weights[i], low);
            sums = _mm256_add_epi16(sums, _mm256_maddubs_epi16(rest, codes));
            sums_of_high = _mm256_add_epi16(sums_of_high, _mm256_maddubs_epi16(high, codes));
        }
    }
    const __m256i result = _mm256_madd_epi16(sums, ones);
    if (bits == 4) return result;
    return _mm256_add_epi32(result, _mm256_madd_epi16(sums_of_high, _mm256_set1_epi16(16)));
}

/// See Int8Panels.h. Sums of two products with 8-bit codes do not fit into 16 bits.
enum { PANEL_ROWS = 8, CODE_BITS_MAX = 4 };

AVX2_INLINE void dot_panel(
    const uint8_t *const weights[PANEL_ROWS], const __m256i *x, size_t count,
    const phi_code_type type, __m256i dots[PANEL_ROWS]) {
    const __m256i ones = _mm256_set1_epi16(1);
    for (int i = 0; i < PANEL_ROWS; i++) dots[i] = _mm256_setzero_si256();
    // Eight sums of two products fit into 16 bits: see `dot_codes`. E2M1 codes are up to 24, and
    // four of their sums fit.
    const size_t step = type == PHI_E2M1_CODES ? 4 : 8;
    for (size_t start = 0; start < count; start += step) {
        __m256i sums[PANEL_ROWS];
        for (size_t four = start; four < start + step; four++) {
            for (int i = 0; i < PANEL_ROWS; i++) {
                int32_t word;
                memcpy(&word, weights[i] + 4 * four, sizeof word);
                const __m256i product = _mm256_maddubs_epi16(_mm256_set1_epi32(word), x[four]);
                sums[i] = four == start ? product : _mm256_add_epi16(sums[i], product);
            }
        }
        for (int i = 0; i < PANEL_ROWS; i++) {
            dots[i] = _mm256_add_epi32(dots[i], _mm256_madd_epi16(sums[i], ones));
        }
    }
}

#include "Int8Rows.h"

/// Eight scaled values, rounded to integers.
AVX2_INLINE __m256i scaled_codes(const float *values, float inverse) {
    const __m256 scaled = _mm256_mul_ps(_mm256_loadu_ps(values), _mm256_set1_ps(inverse));
    return _mm256_cvtps_epi32(scaled);
}

/// 32 scaled values as bytes, in their order; adds their sums of four to `sums`.
AVX2_INLINE __m256i quantize_some(const float *values, float inverse, __m256i *sums) {
    __m256i codes[4];
    for (int i = 0; i < 4; i++) {
        codes[i] = scaled_codes(values + i * LANES, inverse);
        *sums = _mm256_add_epi32(*sums, codes[i]);
    }
    const __m256i packed = _mm256_packs_epi16(
        _mm256_packs_epi32(codes[0], codes[1]), _mm256_packs_epi32(codes[2], codes[3]));
    // The pack instructions work on 128-bit halves: groups of four bytes are in the order 0 2 4 6 1
    // 3 5 7.
    return _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

/// Reorders 32 bytes: the even ones, then the odd ones.
AVX2_INLINE __m256i even_then_odd(__m256i bytes) {
    const __m256i order = _mm256_setr_epi8(
        0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15,
        0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    return _mm256_permute4x64_epi64(_mm256_shuffle_epi8(bytes, order), 0xD8);
}

/// Rounds a group of 16 activations for weights of 4 bits; adds their sums of two to `sums`.
AVX2_INLINE void quantize_small_group(
    const float *values, float inverse, int8_t *codes, __m256i *sums) {
    const __m256i first = scaled_codes(values, inverse);
    const __m256i second = scaled_codes(values + LANES, inverse);
    *sums = _mm256_add_epi32(first, second);
    // In each half four of the first eight codes, and then four of the others.
    const __m256i words = _mm256_packs_epi32(first, second);
    const __m128i bytes = _mm_packs_epi16(
        _mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    const __m128i even_then_odd =
        _mm_setr_epi8(0, 2, 8, 10, 4, 6, 12, 14, 1, 3, 9, 11, 5, 7, 13, 15);
    _mm_storeu_si128((__m128i *)codes, _mm_shuffle_epi8(bytes, even_then_odd));
}

/// Rounds a group of activations; returns the sum of the codes.
AVX2_INLINE int32_t quantize_group(
    const float *values, size_t group_size, uint32_t bits, float inverse, int8_t *codes) {
    __m256i sums = _mm256_setzero_si256();
    if (group_size < 32) quantize_small_group(values, inverse, codes, &sums);
    for (size_t i = 0; i + 32 <= group_size; i += 64) {
        __m256i *target = (__m256i *)(codes + i);
        __m256i first = quantize_some(values + i, inverse, &sums);
        if (bits == 4) first = even_then_odd(first);
        if (group_size < 64) {
            _mm256_storeu_si256(target, first);
            break;
        }
        __m256i second = quantize_some(values + i + 32, inverse, &sums);
        if (bits == 4) {
            second = even_then_odd(second);
            const __m256i even = _mm256_permute2x128_si256(first, second, 0x20);
            second = _mm256_permute2x128_si256(first, second, 0x31);
            first = even;
        }
        _mm256_storeu_si256(target, first);
        _mm256_storeu_si256(target + 1, second);
    }
    __m128i four = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
    four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0xB1));
    return _mm_cvtsi128_si32(four);
}

AVX2 void phi_avx2_quantize(
    const phi_matrix *matrix, const float *values, int8_t *codes, float *scales, float *sums) {
    const size_t size = matrix->group_size;
    for (size_t group = 0; group < matrix->columns / size; group++) {
        const size_t start = group * size;
        const float largest = largest_magnitude(values + start, size);
        const int32_t sum = quantize_group(
            values + start, size, matrix->bits, phi_int8_inverse(largest), codes + start);
        scales[group] = largest / 127;
        sums[group] = scales[group] * (float)sum;
    }
}

#endif
