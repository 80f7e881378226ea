// Reads and rounds single stored floats at any alignment, for scalar code and the tails of SIMD
// loops.
#ifndef STOA_FLOAT_TYPES_H
#define STOA_FLOAT_TYPES_H

#include <math.h>
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

/// The largest number of an IEEE half.
static const float PHI_FLOAT16_MAX = 65504;

/// Rounds to the nearest IEEE half, ties to even, clamped to PHI_FLOAT16_MAX. NaN stays NaN.
static inline uint16_t phi_float16_from_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = bits >> 16 & 0x8000;
    float magnitude = phi_float_from_bits(bits & 0x7FFFFFFF);
    if (magnitude != magnitude) return sign | 0x7E00;
    if (magnitude > PHI_FLOAT16_MAX) magnitude = PHI_FLOAT16_MAX;
    // Subnormals are multiples of 2^-24, the last bit of 0.5, so adding 0.5 rounds to them.
    if (magnitude < 0x1p-14f) {
        const float rounded = magnitude + 0.5f;
        memcpy(&bits, &rounded, sizeof bits);
        return sign | (uint16_t)(bits - 0x3F000000);
    }
    memcpy(&bits, &magnitude, sizeof bits);
    // Half a unit in the last place, minus one if that place is even.
    bits += 0xFFF + (bits >> 13 & 1);
    return sign | (uint16_t)((bits >> 13) - (112 << 10));
}

/// An E8M0 byte. 0 is 2^-127, a subnormal float; 255, the specification's NaN, is infinite, as in MLX.
static inline float phi_float_from_e8m0(uint8_t byte) {
    return phi_float_from_bits(byte ? (uint32_t)byte << 23 : 0x00400000);
}

/// An E4M3 byte, 2^8 times the half with the same sign, exponent and fraction.
static inline float phi_float_from_e4m3(uint8_t byte) {
    if ((byte & 0x7F) == 0x7F) return NAN;
    const uint16_t half = (uint16_t)((byte & 0x80) << 8 | (byte & 0x7F) << 7);
    return phi_float_from_float16(half) * 0x1p8f;
}

/// Twice an E2M1 code, as an integer.
static inline int phi_twice_e2m1(uint32_t code) {
    static const int8_t magnitudes[8] = {0, 1, 2, 3, 4, 6, 8, 12};
    return code & 8 ? -magnitudes[code & 7] : magnitudes[code & 7];
}

enum {
    /// Added to twice an E2M1 code, so that it is not negative, in products with rounded activations.
    PHI_E2M1_OFFSET = 12,
};

/// Number `index` of an array of `type`.
static inline float phi_load_float(const void *array, phi_float_type type, size_t index) {
    const uint8_t *bytes = array;
    if (type == PHI_E8M0) return phi_float_from_e8m0(bytes[index]);
    if (type == PHI_E4M3) return phi_float_from_e4m3(bytes[index]);
    if (type == PHI_FLOAT32) {
        float value;
        memcpy(&value, bytes + 4 * index, sizeof value);
        return value;
    }
    uint16_t bits;
    memcpy(&bits, bytes + 2 * index, sizeof bits);
    return type == PHI_FLOAT16 ? phi_float_from_float16(bits) : phi_float_from_bfloat16(bits);
}

/// Number `index` of a key or value; for int8, its code, to be multiplied by `phi_stored_scale`.
static inline float phi_load_stored(const void *stored, phi_float_type type, size_t index) {
    if (type == PHI_INT8) return ((const int8_t *)stored)[index];
    return phi_load_float(stored, type, index);
}

/// The factor for the numbers of a key or value of `count` numbers; 1 unless int8.
static inline float phi_stored_scale(const void *stored, phi_float_type type, size_t count) {
    if (type != PHI_INT8) return 1;
    return phi_load_float((const char *)stored + count, PHI_FLOAT32, 0);
}

#endif
