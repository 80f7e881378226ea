// Reading stored floats one at a time, at any alignment. For scalar code and the tails of SIMD
// loops.
#ifndef STOA_FLOAT_TYPES_H
#define STOA_FLOAT_TYPES_H

#include <string.h>

#include "include/PhiKernels.h"

/// The float with these bits.
static inline float phi_float_from_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// A bfloat16 is the upper half of a float.
static inline float phi_float_from_bfloat16(uint16_t bits) {
    return phi_float_from_bits((uint32_t)bits << 16);
}

/// An IEEE half: 1 sign, 5 exponent (bias 15), 10 fraction bits.
static inline float phi_float_from_float16(uint16_t bits) {
    const uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    const uint32_t exponent = bits >> 10 & 0x1F;
    const uint32_t fraction = bits & 0x3FF;
    if (exponent == 0) {
        // Zero or subnormal: fraction * 2^-24, exact in a float.
        const float magnitude = (float)fraction * 0x1p-24f;
        return sign ? -magnitude : magnitude;
    }
    if (exponent == 31) return phi_float_from_bits(sign | 0x7F800000 | fraction << 13);
    return phi_float_from_bits(sign | (exponent + 112) << 23 | fraction << 13);
}

/// Number `index` of an array of `type`.
static inline float phi_load_float(const void *array, phi_float_type type, size_t index) {
    if (type == PHI_FLOAT32) {
        float value;
        memcpy(&value, (const char *)array + 4 * index, sizeof value);
        return value;
    }
    uint16_t bits;
    memcpy(&bits, (const char *)array + 2 * index, sizeof bits);
    return type == PHI_FLOAT16 ? phi_float_from_float16(bits) : phi_float_from_bfloat16(bits);
}

#endif
