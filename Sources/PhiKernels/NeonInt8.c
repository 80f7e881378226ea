// Products with activations rounded to int8 in NEON.

#if defined(__aarch64__)

#include "Neon.h"

#include "KernelTables.h"

#define TARGET
#define TARGET_INLINE NEON_INLINE
#define MULTIPLY_INT8 phi_neon_multiply_int8

/// See NeonInt8Rows.h. Two products of bytes, none of both -128, fit into 16 bits.
NEON_INLINE int32x4_t add_products(int32x4_t sums, int8x16_t weights, int8x16_t x) {
    const int16x8_t first = vmull_s8(vget_low_s8(weights), vget_low_s8(x));
    const int16x8_t both = vmlal_high_s8(first, weights, x);
    return vpadalq_s16(sums, both);
}

#include "NeonInt8Rows.h"

/// 16 scaled values as bytes; adds their sums of four to `sums`.
NEON_INLINE int8x16_t quantize_some(const float *values, float inverse, int32x4_t *sums) {
    int32x4_t codes[4];
    for (int i = 0; i < 4; i++) {
        const lanes scaled = lanes_multiply(lanes_load(values + i * LANES), lanes_of(inverse));
        codes[i] = vcvtnq_s32_f32(scaled);
        *sums = vaddq_s32(*sums, codes[i]);
    }
    const int16x8_t first = vcombine_s16(vmovn_s32(codes[0]), vmovn_s32(codes[1]));
    const int16x8_t second = vcombine_s16(vmovn_s32(codes[2]), vmovn_s32(codes[3]));
    return vcombine_s8(vmovn_s16(first), vmovn_s16(second));
}

/// Rounds a group of activations; returns the sum of the codes.
NEON_INLINE int32_t quantize_group(
    const float *values, size_t group_size, uint32_t bits, float inverse, int8_t *codes) {
    int32x4_t sums = vdupq_n_s32(0);
    if (group_size < 2 * CODES) {
        const int8x16_t rounded = quantize_some(values, inverse, &sums);
        vst1q_s8(codes, vcombine_s8(
            vget_low_s8(vuzp1q_s8(rounded, rounded)), vget_low_s8(vuzp2q_s8(rounded, rounded))));
        return vaddvq_s32(sums);
    }
    // See `quantize` for the order. A pair of registers has its even codes in one register and its
    // odd codes in the other; odd codes are stored half a block later.
    const size_t odd = bits == 8 ? CODES : group_size < 64 ? 16 : 32;
    for (size_t i = 0; i < group_size; i += 2 * CODES) {
        int8x16_t first = quantize_some(values + i, inverse, &sums);
        int8x16_t second = quantize_some(values + i + CODES, inverse, &sums);
        if (bits == 4) {
            const int8x16_t even = vuzp1q_s8(first, second);
            second = vuzp2q_s8(first, second);
            first = even;
        }
        // The second pair of a block of 64 follows the first pair's even codes.
        const size_t start = odd == 32 ? i / 64 * 64 + i % 64 / 2 : i;
        vst1q_s8(codes + start, first);
        vst1q_s8(codes + start + odd, second);
    }
    return vaddvq_s32(sums);
}

void phi_neon_quantize(
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
