// Functions on float registers that are the same for every instruction set. A file that includes
// this, or a header that includes it, first defines TARGET, the functions' attribute,
// TARGET_INLINE, and the contents of Avx2.h or Neon.h: `lanes`, LANES and their operations.
#ifndef STOA_LANES_H
#define STOA_LANES_H

#include "FloatTypes.h"

/// The size of a cache line in bytes.
enum { CACHE_LINE = 64 };

/// Loads fewer than LANES numbers from `index` on one by one; the other lanes are `filler`. Not
/// inlined, since it is rare and long.
TARGET static __attribute__((noinline)) lanes load_few_floats(
    const void *array, phi_float_type type, size_t index, size_t count, float filler) {
    float numbers[LANES];
    for (size_t i = 0; i < LANES; i++) {
        numbers[i] = i < count ? phi_load_float(array, type, index + i) : filler;
    }
    return lanes_load(numbers);
}

/// The first `count` numbers from `index` on, the other lanes `filler`.
TARGET_INLINE lanes load_some_floats(
    const void *array, phi_float_type type, size_t index, size_t count, float filler) {
    return count == LANES ? load_floats(array, type, index)
                          : load_few_floats(array, type, index, count, filler);
}

/// The scales and biases of `count` groups from `index` on, as phi_int8_activations uses them.
TARGET_INLINE void load_scales(
    const phi_matrix *matrix, size_t index, size_t count, const phi_code_type type, lanes *scales,
    lanes *biases) {
    *scales = load_some_floats(matrix->scales, matrix->float_type, index, count, 0);
    if (type == PHI_E2M1_CODES) {
        *scales = lanes_multiply(*scales, lanes_of(0.5f));
        *biases = lanes_multiply(*scales, lanes_of(-PHI_E2M1_OFFSET));
    } else {
        *biases = load_some_floats(matrix->biases, matrix->bias_type, index, count, 0);
    }
}

/// Writes the first `count` lanes.
TARGET_INLINE void store_some_floats(float *target, lanes x, size_t count) {
    if (count == LANES) {
        lanes_store(target, x);
        return;
    }
    float numbers[LANES];
    lanes_store(numbers, x);
    memcpy(target, numbers, count * sizeof numbers[0]);
}

/// exp(x), accurate to about two units in the last place, for x from -87 to 88; other values are
/// clamped to this range. NaN stays NaN.
TARGET_INLINE lanes exp_of(lanes x) {
    // exp(x) = 2^n exp(r), n the integer nearest x / ln 2, |r| <= ln 2 / 2.
    x = lanes_max(lanes_of(-87.0f), x);
    x = lanes_min(lanes_of(88.0f), x);
    const lanes n = lanes_round(lanes_multiply(x, lanes_of(0x1.715476p+0f)));
    // ln 2 is split into two parts, so that r is exact.
    lanes r = lanes_multiply_subtract(n, lanes_of(0x1.62e4p-1f), x);
    r = lanes_multiply_subtract(n, lanes_of(0x1.7f7d1cp-20f), r);
    // The Taylor series up to r^7 / 7!, whose next term is below 1e-8 there.
    lanes series = lanes_of(1.0f / 5040);
    series = lanes_multiply_add(series, r, lanes_of(1.0f / 720));
    series = lanes_multiply_add(series, r, lanes_of(1.0f / 120));
    series = lanes_multiply_add(series, r, lanes_of(1.0f / 24));
    series = lanes_multiply_add(series, r, lanes_of(1.0f / 6));
    series = lanes_multiply_add(series, r, lanes_of(0.5f));
    series = lanes_multiply_add(series, r, lanes_of(1.0f));
    series = lanes_multiply_add(series, r, lanes_of(1.0f));
    return lanes_times_power_of_two(series, n);
}

#endif
