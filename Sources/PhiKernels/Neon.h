// Float registers in NEON, as Lanes.h expects them, and the functions of the NEON files. Every
// 64-bit ARM processor has NEON; the int8 dot and matrix products were added later, and only
// DotprodInt8.c and I8mmInt8.c need them.
#ifndef STOA_NEON_H
#define STOA_NEON_H

#include <arm_neon.h>

#include "FloatTypes.h"

#define NEON_INLINE static inline __attribute__((always_inline))

/// Numbers in a register.
enum { LANES = 4 };

/// A register of floats.
typedef float32x4_t lanes;

/// `value` in every lane.
NEON_INLINE lanes lanes_of(float value) { return vdupq_n_f32(value); }

NEON_INLINE lanes lanes_load(const float *numbers) { return vld1q_f32(numbers); }
NEON_INLINE void lanes_store(float *target, lanes x) { vst1q_f32(target, x); }

NEON_INLINE lanes lanes_add(lanes a, lanes b) { return vaddq_f32(a, b); }
NEON_INLINE lanes lanes_multiply(lanes a, lanes b) { return vmulq_f32(a, b); }
NEON_INLINE lanes lanes_divide(lanes a, lanes b) { return vdivq_f32(a, b); }
NEON_INLINE lanes lanes_negate(lanes x) { return vnegq_f32(x); }

/// a * b + c and c - a * b, with one rounding.
NEON_INLINE lanes lanes_multiply_add(lanes a, lanes b, lanes c) { return vfmaq_f32(c, a, b); }
NEON_INLINE lanes lanes_multiply_subtract(lanes a, lanes b, lanes c) { return vfmsq_f32(c, a, b); }

/// The lane-wise maximum or minimum; NaN in x stays NaN.
NEON_INLINE lanes lanes_max(lanes bound, lanes x) { return vmaxq_f32(bound, x); }
NEON_INLINE lanes lanes_min(lanes bound, lanes x) { return vminq_f32(bound, x); }

/// Rounds to the nearest integers.
NEON_INLINE lanes lanes_round(lanes x) { return vrndnq_f32(x); }

/// x * 2^n for integers n if the result is a normal float; adds n to the exponent.
NEON_INLINE lanes lanes_times_power_of_two(lanes x, lanes n) {
    const int32x4_t exponent = vshlq_n_s32(vcvtq_s32_f32(n), 23);
    return vreinterpretq_f32_s32(vaddq_s32(vreinterpretq_s32_f32(x), exponent));
}

/// The sum of all lanes, added in a fixed order.
NEON_INLINE float sum_of_lanes(lanes x) {
    const float32x4_t pairs = vpaddq_f32(x, x);
    return vgetq_lane_f32(vpaddq_f32(pairs, pairs), 0);
}

/// The order of lanes in which `sum_of_lanes` adds pairs, then pairs of these sums.
static const uint8_t lane_of_sum[LANES] = {0, 1, 2, 3};

/// target[i] = the sum of the lanes of x[i], for four registers, each added in the order of
/// `sum_of_lanes`.
NEON_INLINE void store_sums_of_lanes(float *target, const lanes x[4]) {
    vst1q_f32(target, vpaddq_f32(vpaddq_f32(x[0], x[1]), vpaddq_f32(x[2], x[3])));
}

/// The largest lane.
NEON_INLINE float largest_of_lanes(lanes x) { return vmaxvq_f32(x); }

/// Twice each E2M1 code, plus `offset`.
NEON_INLINE int8x16_t twice_e2m1(int8_t offset) {
    const int8x16_t twice = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    return vaddq_s8(twice, vdupq_n_s8(offset));
}

/// Codes of 4 bits as the numbers that are multiplied: see phi_int8_activations.
NEON_INLINE int8x16_t numbers_of(uint8x16_t codes, const phi_code_type type) {
    return type == PHI_E2M1_CODES ? vqtbl1q_s8(twice_e2m1(PHI_E2M1_OFFSET), codes)
                                  : vreinterpretq_s8_u8(codes);
}

/// Four bytes in the lower half.
NEON_INLINE uint8x8_t load_four_bytes(const uint8_t *bytes) {
    uint32_t four;
    memcpy(&four, bytes, sizeof four);
    return vreinterpret_u8_u32(vdup_n_u32(four));
}

/// The first four of some E8M0 bytes: see `phi_float_from_e8m0`.
NEON_INLINE lanes floats_of_e8m0(uint8x8_t bytes) {
    const uint32x4_t bits = vshlq_n_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes))), 23);
    return vreinterpretq_f32_u32(vmaxq_u32(bits, vdupq_n_u32(0x00400000)));
}

/// Eight E4M3 bytes as halves that are 2^8 times smaller: see `phi_float_from_e4m3`.
NEON_INLINE uint16x8_t halves_of_e4m3(uint8x8_t bytes) {
    // The sign is extended to the left, and then at bits 14 and 15.
    const uint16x8_t shifted =
        vreinterpretq_u16_s16(vshlq_n_s16(vmovl_s8(vreinterpret_s8_u8(bytes)), 7));
    const uint16x8_t magnitude = vdupq_n_u16(0x3F80);
    const uint16x8_t nan = vceqq_u16(vandq_u16(shifted, magnitude), magnitude);
    return vorrq_u16(vandq_u16(shifted, vdupq_n_u16(0xBF80)), nan);
}

/// The first four of some E4M3 bytes.
NEON_INLINE lanes floats_of_e4m3(uint8x8_t bytes) {
    const float16x4_t halves = vreinterpret_f16_u16(vget_low_u16(halves_of_e4m3(bytes)));
    return vmulq_n_f32(vcvt_f32_f16(halves), 0x1p8f);
}

/// Numbers index ... index + LANES - 1 of an array of `type`, at any alignment.
NEON_INLINE lanes load_floats(const void *array, phi_float_type type, size_t index) {
    const uint8_t *bytes = array;
    if (type == PHI_FLOAT32) return vreinterpretq_f32_u8(vld1q_u8(bytes + 4 * index));
    if (type == PHI_E8M0) return floats_of_e8m0(load_four_bytes(bytes + index));
    if (type == PHI_E4M3) return floats_of_e4m3(load_four_bytes(bytes + index));
    const uint8x8_t halves = vld1_u8(bytes + 2 * index);
    if (type == PHI_FLOAT16) return vcvt_f32_f16(vreinterpret_f16_u8(halves));
    return vreinterpretq_f32_u32(vshll_n_u16(vreinterpret_u16_u8(halves), 16));
}

/// Writes LANES numbers, at most PHI_FLOAT16_MAX, rounded to IEEE halves.
NEON_INLINE void store_halves(void *target, lanes x) {
    vst1_u8(target, vreinterpret_u8_f16(vcvt_f16_f32(x)));
}

/// Writes the nearest integers, -127 ... 127, as LANES bytes.
NEON_INLINE void store_codes(int8_t *target, lanes x) {
    const int16x4_t words = vmovn_s32(vcvtnq_s32_f32(x));
    const int8x8_t codes = vmovn_s16(vcombine_s16(words, words));
    const int32_t four = vget_lane_s32(vreinterpret_s32_s8(codes), 0);
    memcpy(target, &four, sizeof four);
}

/// The largest magnitude of `count` numbers, a multiple of LANES; NaN if any of them is NaN.
NEON_INLINE float largest_magnitude(const float *values, size_t count) {
    uint32x4_t largest = vdupq_n_u32(0);
    for (size_t i = 0; i < count; i += LANES) {
        const lanes magnitude = vabsq_f32(lanes_load(values + i));
        largest = vmaxq_u32(largest, vreinterpretq_u32_f32(magnitude));
    }
    return phi_float_from_bits(vmaxvq_u32(largest));
}

/// `multiply` of the kernel table.
void phi_neon_multiply(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_activations *input,
    float *output, size_t output_stride);

/// `quantize` and `multiply_int8` of the kernel table.
void phi_neon_quantize(
    const phi_matrix *matrix, const float *values, int8_t *codes, float *scales, float *sums);
void phi_neon_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride);

/// `multiply_int8` with int8 dot products.
void phi_dotprod_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride);

/// `multiply_int8` with int8 matrix products; with dot products for few rows of activations.
void phi_i8mm_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride);

/// `attend` of the kernel table.
void phi_neon_attend(const phi_attention_tile *tile);

#endif
