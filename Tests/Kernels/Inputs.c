// Random inputs, and how results are compared.

#include "Comparison.h"

/// Tolerance: implementations may add in another order.
static const float TOLERANCE = 2e-5f;

static uint64_t state = 1;

uint64_t random_bits(void) {
    state += 0x9E3779B97F4A7C15;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

size_t random_count(size_t first, size_t last) {
    return first + random_bits() % (last - first + 1);
}

/// In -1 ..< 1.
static float random_float(void) { return (float)(int32_t)random_bits() * 0x1p-31f; }

void fill(float *values, size_t count) {
    for (size_t i = 0; i < count; i++) values[i] = random_float();
}

void fill_stored(char *target, phi_float_type type, size_t count, float scale) {
    for (size_t i = 0; i < count; i++) {
        const float value = random_float() * scale;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        const uint16_t half = type == PHI_FLOAT16 ? phi_float16_from_float(value) : bits >> 16;
        if (type == PHI_FLOAT32) {
            memcpy(target + 4 * i, &bits, sizeof bits);
        } else {
            memcpy(target + 2 * i, &half, sizeof half);
        }
    }
}

bool are_near(const float *one, const float *other, size_t count) {
    float largest = 1;
    for (size_t i = 0; i < count; i++) largest = fmaxf(largest, fabsf(other[i]));
    for (size_t i = 0; i < count; i++) {
        if (!(fabsf(one[i] - other[i]) <= TOLERANCE * largest)) return false;
    }
    return true;
}

bool are_equal(const void *one, const void *other, size_t byte_count) {
    return memcmp(one, other, byte_count) == 0;
}
