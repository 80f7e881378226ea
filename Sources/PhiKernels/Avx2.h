// What the AVX2 files share. They need AVX2, FMA and F16C; each function says so to the compiler,
// which may use only the processor's base set elsewhere.
#ifndef STOA_AVX2_H
#define STOA_AVX2_H

#include <immintrin.h>

#include "FloatTypes.h"

#define AVX2 __attribute__((target("avx2,fma,f16c")))
#define AVX2_INLINE static inline __attribute__((always_inline, target("avx2,fma,f16c")))

/// Numbers in a register.
enum { LANES = 8 };

/// The sum of all lanes, always added in the same order.
AVX2_INLINE float sum_of_lanes(__m256 lanes) {
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}

/// Numbers index ... index + 7 of an array of `type`.
AVX2_INLINE __m256 load_floats(const void *array, phi_float_type type, size_t index) {
    const char *bytes = array;
    if (type == PHI_FLOAT32) return _mm256_loadu_ps((const float *)(bytes + 4 * index));
    const __m128i halves = _mm_loadu_si128((const __m128i *)(bytes + 2 * index));
    if (type == PHI_FLOAT16) return _mm256_cvtph_ps(halves);
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}

/// The same one by one, fewer than eight; the other lanes are `filler`. A call, since it is seldom
/// and long.
AVX2 static __attribute__((noinline)) __m256 load_few_floats(
    const void *array, phi_float_type type, size_t index, size_t count, float filler) {
    float lanes[LANES];
    for (size_t i = 0; i < LANES; i++) {
        lanes[i] = i < count ? phi_load_float(array, type, index + i) : filler;
    }
    return _mm256_loadu_ps(lanes);
}

/// The first `count` numbers from `index` on, the other lanes `filler`.
AVX2_INLINE __m256 load_some_floats(
    const void *array, phi_float_type type, size_t index, size_t count, float filler) {
    return count == LANES ? load_floats(array, type, index)
                          : load_few_floats(array, type, index, count, filler);
}

/// Writes the first `count` lanes.
AVX2_INLINE void store_some_floats(float *target, __m256 values, size_t count) {
    float lanes[LANES];
    _mm256_storeu_ps(lanes, values);
    memcpy(target, lanes, count * sizeof lanes[0]);
}

/// exp(x), to about two units in the last place, for x from -87 to 88; smaller and larger ones
/// count as these bounds. Not-a-number stays what it is.
AVX2_INLINE __m256 exp_of(__m256 x) {
    // exp(x) = 2^n exp(r), n the integer nearest x / ln 2, |r| <= ln 2 / 2.
    x = _mm256_max_ps(_mm256_set1_ps(-87.0f), x);
    x = _mm256_min_ps(_mm256_set1_ps(88.0f), x);
    const __m256 n = _mm256_round_ps(
        _mm256_mul_ps(x, _mm256_set1_ps(0x1.715476p+0f)),
        _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    // ln 2 in two parts, so that r is exact.
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0x1.62e4p-1f), x);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0x1.7f7d1cp-20f), r);
    // The Taylor series up to r^7 / 7!, whose next term is below 1e-8 there.
    __m256 series = _mm256_set1_ps(1.0f / 5040);
    series = _mm256_fmadd_ps(series, r, _mm256_set1_ps(1.0f / 720));
    series = _mm256_fmadd_ps(series, r, _mm256_set1_ps(1.0f / 120));
    series = _mm256_fmadd_ps(series, r, _mm256_set1_ps(1.0f / 24));
    series = _mm256_fmadd_ps(series, r, _mm256_set1_ps(1.0f / 6));
    series = _mm256_fmadd_ps(series, r, _mm256_set1_ps(0.5f));
    series = _mm256_fmadd_ps(series, r, _mm256_set1_ps(1.0f));
    series = _mm256_fmadd_ps(series, r, _mm256_set1_ps(1.0f));
    // Adding n to the exponent multiplies by 2^n.
    const __m256i exponent = _mm256_slli_epi32(_mm256_cvtps_epi32(n), 23);
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(series), exponent));
}

/// `multiply` of the kernel table.
void phi_avx2_multiply(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_activations *input,
    float *output, size_t output_stride);

/// `quantize` and `multiply_int8` of the kernel table.
void phi_avx2_quantize(
    const phi_matrix *matrix, const float *values, int8_t *codes, float *scales, float *sums);
void phi_avx2_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride);

/// `multiply_int8` with AVX-512 VNNI.
void phi_vnni_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride);

/// `attend` of the kernel table.
void phi_avx2_attend(const phi_attention_tile *tile);

#endif
