// Products in NEON.

#if defined(__aarch64__)

#include "Neon.h"

#define TARGET
#define TARGET_INLINE NEON_INLINE
#define MULTIPLY phi_neon_multiply

/// See Multiply.h.
NEON_INLINE void codes_of_words(
    uint32_t low, uint32_t high, const int32_t shifts[8], uint32_t mask, lanes codes[2]) {
    const uint32_t words[2] = {low, high};
    for (int i = 0; i < 2; i++) {
        // NEON only shifts left: a negative count shifts right.
        const int32x4_t by = vnegq_s32(vld1q_s32(shifts + 4 * i));
        const uint32x4_t shifted = vshlq_u32(vdupq_n_u32(words[i]), by);
        codes[i] = vcvtq_f32_u32(vandq_u32(shifted, vdupq_n_u32(mask)));
    }
}

/// See Multiply.h.
NEON_INLINE void codes_of_bytes(const uint8_t *bytes, lanes codes[2]) {
    const uint16x8_t eight = vmovl_u8(vld1_u8(bytes));
    codes[0] = vcvtq_f32_u32(vmovl_u16(vget_low_u16(eight)));
    codes[1] = vcvtq_f32_u32(vmovl_high_u16(eight));
}

/// See Multiply.h.
NEON_INLINE void codes_of_e2m1(uint32_t word, lanes codes[2]) {
    const uint8x8_t bytes = vreinterpret_u8_u32(vdup_n_u32(word));
    const uint8x8_t low = vand_u8(bytes, vdup_n_u8(15));
    const uint8x8_t indices = vzip1_u8(low, vshr_n_u8(bytes, 4));
    const int16x8_t twice = vmovl_s8(vqtbl1_s8(twice_e2m1(0), indices));
    // Fixed-point numbers with one bit after the point.
    codes[0] = vcvtq_n_f32_s32(vmovl_s16(vget_low_s16(twice)), 1);
    codes[1] = vcvtq_n_f32_s32(vmovl_high_s16(twice), 1);
}

/// See Multiply.h.
NEON_INLINE void codes_of_e4m3(const uint8_t *bytes, lanes codes[4]) {
    for (int i = 0; i < 4; i += 2) {
        const uint16x8_t halves = halves_of_e4m3(vld1_u8(bytes + 4 * i));
        codes[i] = vcvt_f32_f16(vreinterpret_f16_u16(vget_low_u16(halves)));
        codes[i + 1] = vcvt_f32_f16(vreinterpret_f16_u16(vget_high_u16(halves)));
    }
}

#include "Multiply.h"

#endif
