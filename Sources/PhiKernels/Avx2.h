// Float registers in AVX2, as Lanes.h expects them, and the functions of the AVX2 files. They need
// AVX2, FMA and F16C. Each function declares that to the compiler, which elsewhere may only use the
// processor's base instruction set.
#ifndef STOA_AVX2_H
#define STOA_AVX2_H

#include <immintrin.h>

#include "FloatTypes.h"

#define AVX2 __attribute__((target("avx2,fma,f16c")))
#define AVX2_INLINE static inline __attribute__((always_inline, target("avx2,fma,f16c")))

enum {
    /// Numbers in a register.
    LANES = 8,
    /// Minimum number of rows of activations for packing.
    PACKED_COUNT_MIN = 5,
};

/// A register of floats.
typedef __m256 lanes;

/// `value` in every lane.
AVX2_INLINE lanes lanes_of(float value) { return _mm256_set1_ps(value); }

AVX2_INLINE lanes lanes_load(const float *numbers) { return _mm256_loadu_ps(numbers); }
AVX2_INLINE void lanes_store(float *target, lanes x) { _mm256_storeu_ps(target, x); }

AVX2_INLINE lanes lanes_add(lanes a, lanes b) { return _mm256_add_ps(a, b); }
AVX2_INLINE lanes lanes_multiply(lanes a, lanes b) { return _mm256_mul_ps(a, b); }
AVX2_INLINE lanes lanes_divide(lanes a, lanes b) { return _mm256_div_ps(a, b); }
AVX2_INLINE lanes lanes_negate(lanes x) { return _mm256_xor_ps(x, _mm256_set1_ps(-0.0f)); }

/// a * b + c and c - a * b, with one rounding.
AVX2_INLINE lanes lanes_multiply_add(lanes a, lanes b, lanes c) {
    return _mm256_fmadd_ps(a, b, c);
}
AVX2_INLINE lanes lanes_multiply_subtract(lanes a, lanes b, lanes c) {
    return _mm256_fnmadd_ps(a, b, c);
}

/// The lane-wise maximum or minimum; NaN in x stays NaN.
AVX2_INLINE lanes lanes_max(lanes bound, lanes x) { return _mm256_max_ps(bound, x); }
AVX2_INLINE lanes lanes_min(lanes bound, lanes x) { return _mm256_min_ps(bound, x); }

/// Rounds to the nearest integers.
AVX2_INLINE lanes lanes_round(lanes x) {
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/// x * 2^n for integers n if the result is a normal float; adds n to the exponent.
AVX2_INLINE lanes lanes_times_power_of_two(lanes x, lanes n) {
    const __m256i exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(x), exponent));
}

/// The sum of all lanes, added in a fixed order.
AVX2_INLINE float sum_of_lanes(lanes x) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

/// The order of lanes in which `sum_of_lanes` adds pairs, then pairs of these sums, and so on.
static const uint8_t lane_of_sum[LANES] = {0, 4, 2, 6, 1, 5, 3, 7};

/// target[i] = the sum of the lanes of x[i], for four registers, each added in the order of
/// `sum_of_lanes`.
AVX2_INLINE void store_sums_of_lanes(float *target, const lanes x[4]) {
    __m128 four[4];
    for (int i = 0; i < 4; i++) {
        four[i] = _mm_add_ps(_mm256_castps256_ps128(x[i]), _mm256_extractf128_ps(x[i], 1));
    }
    const __m128 first =
        _mm_add_ps(_mm_movelh_ps(four[0], four[1]), _mm_movehl_ps(four[1], four[0]));
    const __m128 second =
        _mm_add_ps(_mm_movelh_ps(four[2], four[3]), _mm_movehl_ps(four[3], four[2]));
    _mm_storeu_ps(
        target,
        _mm_add_ps(_mm_shuffle_ps(first, second, 0x88), _mm_shuffle_ps(first, second, 0xDD)));
}

/// The largest lane.
AVX2_INLINE float largest_of_lanes(lanes x) {
    __m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}

/// Eight E8M0 bytes: see `phi_float_from_e8m0`.
AVX2_INLINE lanes floats_of_e8m0(__m128i bytes) {
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu8_epi32(bytes), 23);
    return _mm256_castsi256_ps(_mm256_max_epi32(bits, _mm256_set1_epi32(0x00400000)));
}

/// Sixteen E4M3 bytes as halves that are 2^8 times smaller: see `phi_float_from_e4m3`.
AVX2_INLINE __m256i halves_of_e4m3(__m128i bytes) {
    // The sign is extended to the left, and then at bits 14 and 15.
    const __m256i shifted = _mm256_slli_epi16(_mm256_cvtepi8_epi16(bytes), 7);
    const __m256i magnitude = _mm256_set1_epi16(0x3F80);
    const __m256i nan = _mm256_cmpeq_epi16(_mm256_and_si256(shifted, magnitude), magnitude);
    return _mm256_or_si256(_mm256_and_si256(shifted, _mm256_set1_epi16((int16_t)0xBF80)), nan);
}

/// The first eight of some E4M3 bytes.
AVX2_INLINE lanes floats_of_e4m3(__m128i bytes) {
    const __m128i halves = _mm256_castsi256_si128(halves_of_e4m3(bytes));
    return _mm256_mul_ps(_mm256_cvtph_ps(halves), _mm256_set1_ps(0x1p8f));
}

/// Numbers index ... index + LANES - 1 of an array of `type`, at any alignment.
AVX2_INLINE lanes load_floats(const void *array, phi_float_type type, size_t index) {
    const char *bytes = array;
    if (type == PHI_FLOAT32) return _mm256_loadu_ps((const float *)(bytes + 4 * index));
    if (type == PHI_E8M0) return floats_of_e8m0(_mm_loadl_epi64((const __m128i *)(bytes + index)));
    if (type == PHI_E4M3) return floats_of_e4m3(_mm_loadl_epi64((const __m128i *)(bytes + index)));
    const __m128i halves = _mm_loadu_si128((const __m128i *)(bytes + 2 * index));
    if (type == PHI_FLOAT16) return _mm256_cvtph_ps(halves);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}

/// Writes LANES numbers, at most PHI_FLOAT16_MAX, rounded to IEEE halves.
AVX2_INLINE void store_halves(void *target, lanes x) {
    _mm_storeu_si128((__m128i *)target, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}

/// Writes the nearest integers, -127 ... 127, as LANES bytes.
AVX2_INLINE void store_codes(int8_t *target, lanes x) {
    const __m256i codes = _mm256_cvtps_epi32(x);
    const __m128i words = _mm_packs_epi32(
        _mm256_castsi256_si128(codes), _mm256_extracti128_si256(codes, 1));
    _mm_storel_epi64((__m128i *)target, _mm_packs_epi16(words, words));
}

/// The largest magnitude of `count` numbers, a multiple of LANES; NaN if any of them is NaN.
AVX2_INLINE float largest_magnitude(const float *values, size_t count) {
    const __m256i magnitude = _mm256_set1_epi32(0x7FFFFFFF);
    __m256i largest = _mm256_setzero_si256();
    for (size_t i = 0; i < count; i += LANES) {
        const __m256i bits = _mm256_loadu_si256((const __m256i *)(values + i));
        largest = _mm256_max_epu32(largest, _mm256_and_si256(bits, magnitude));
    }
    __m128i four = _mm_max_epu32(
        _mm256_castsi256_si128(largest), _mm256_extracti128_si256(largest, 1));
    four = _mm_max_epu32(four, _mm_shuffle_epi32(four, 0x4E));
    four = _mm_max_epu32(four, _mm_shuffle_epi32(four, 0xB1));
    return phi_float_from_bits((uint32_t)_mm_cvtsi128_si32(four));
}

/// `multiply` of the kernel table.
void phi_avx2_multiply(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_activations *input,
    float *output, size_t output_stride);

/// `quantize`, `pack` and `multiply_int8` of the kernel table.
void phi_avx2_quantize(
    const phi_matrix *matrix, const float *values, int8_t *codes, float *scales, float *sums);
void phi_avx2_pack(const phi_matrix *matrix, const phi_int8_activations *input, size_t first);
void phi_avx2_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride);

/// `pack` and `multiply_int8` with AVX-VNNI.
void phi_avxvnni_pack(const phi_matrix *matrix, const phi_int8_activations *input, size_t first);
void phi_avxvnni_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride);

/// `pack` and `multiply_int8` with AVX-512 VNNI.
void phi_avx512vnni_pack(
    const phi_matrix *matrix, const phi_int8_activations *input, size_t first);
void phi_avx512vnni_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride);

/// `pack` and `multiply_int8` with AMX.
void phi_amx_pack(const phi_matrix *matrix, const phi_int8_activations *input, size_t first);
void phi_amx_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride);

/// `attend` of the kernel table, with AVX-VNNI, and with AVX-512.
void phi_avx2_attend(const phi_attention_tile *tile);
void phi_avxvnni_attend(const phi_attention_tile *tile);
void phi_avx512_attend(const phi_attention_tile *tile);

#endif
