// Products with activations rounded to int8 with the int8 dot products of ARMv8.2 (SDOT).

#if defined(__aarch64__)

#include "Neon.h"

#define TARGET __attribute__((target("+dotprod")))
#define TARGET_INLINE static inline __attribute__((always_inline)) TARGET
#define MULTIPLY_INT8 phi_dotprod_multiply_int8

/// See NeonInt8Rows.h.
TARGET_INLINE int32x4_t add_products(int32x4_t sums, int8x16_t weights, int8x16_t x) {
    return vdotq_s32(sums, weights, x);
}

#include "NeonInt8Rows.h"

#endif
