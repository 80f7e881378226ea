// The tables of each instruction set; Select.c chooses among them.
#ifndef STOA_KERNEL_TABLES_H
#define STOA_KERNEL_TABLES_H

#include <math.h>

#include "include/PhiKernels.h"

extern const phi_kernels phi_kernels_scalar;

#if defined(__x86_64__)
extern const phi_kernels phi_kernels_avx2;
extern const phi_kernels phi_kernels_avxvnni;
extern const phi_kernels phi_kernels_avx512vnni;
extern const phi_kernels phi_kernels_amx;
#elif defined(__aarch64__)
extern const phi_kernels phi_kernels_neon;
extern const phi_kernels phi_kernels_neondotprod;
extern const phi_kernels phi_kernels_neoni8mm;
#endif

/// The scalar `decode_row`, for tables without a faster one.
void phi_scalar_decode_row(const phi_matrix *matrix, size_t row, float *output);

/// The scalar `quantize` and `multiply_int8`.
void phi_scalar_quantize(
    const phi_matrix *matrix, const float *values, int8_t *codes, float *scales, float *sums);
void phi_scalar_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride);

/// The scalar `attend`.
void phi_scalar_attend(const phi_attention_tile *tile);

/// The scalar `store` as int8.
void phi_scalar_store_int8(const float *values, size_t count, int8_t *target);

/// The factor that turns the numbers of a group into codes; `largest` is their largest magnitude. 0
/// if all are zero or so small that the inverse would be infinite.
static inline float phi_int8_inverse(float largest) {
    return largest < 0x1p-100f ? 0 : 127 / largest;
}

/// The same for words, -32767 ... 32767.
static inline float phi_word_inverse(float largest) {
    return largest < 0x1p-100f ? 0 : 32767 / largest;
}

/// The factor that turns words into numbers again; 0 where `phi_word_inverse` is.
static inline float phi_word_scale(float largest) {
    return largest < 0x1p-100f ? 0 : largest / 32767;
}

/// The scales of values are multiplied by this: many weights are so small that their products with scales
/// would be subnormal, which processors multiply slowly.
#define PHI_VALUE_UNIT 0x1p64f

/// The maximum of `largest` and the magnitude of `value`. NaN counts as the largest, so that it
/// propagates into the result.
static inline float phi_larger_magnitude(float largest, float value) {
    const float magnitude = fabsf(value);
    return magnitude <= largest || isnan(largest) ? largest : magnitude;
}

/// The code of a number that was multiplied with `phi_int8_inverse`.
static inline int8_t phi_int8_code(float scaled) {
    return isfinite(scaled) ? (int8_t)nearbyintf(scaled) : 0;
}

/// The word of a number that was multiplied with `phi_word_inverse`.
static inline int16_t phi_word(float scaled) {
    return isfinite(scaled) ? (int16_t)nearbyintf(scaled) : 0;
}

#endif
