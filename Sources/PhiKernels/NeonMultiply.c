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

#include "Multiply.h"

#endif
