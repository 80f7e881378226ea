// What the comparisons of kernels share: the tables, random inputs, and checks.
#ifndef STOA_KERNEL_COMPARISON_H
#define STOA_KERNEL_COMPARISON_H

#include <math.h>
#include <stdbool.h>

#include "../../Sources/PhiKernels/FloatTypes.h"

/// The table that the others are compared with.
extern const phi_kernels *scalar;
/// The table that is compared.
extern const phi_kernels *tested;

/// Counts a comparison; `what` names it if it does not hold.
void check(bool holds, const char *what);

/// SplitMix64.
uint64_t random_bits(void);
/// A number from `first` to `last`.
size_t random_count(size_t first, size_t last);
/// Numbers in -1 ..< 1.
void fill(float *values, size_t count);
/// The same, times `scale`, stored as `type`; `target` may be at any address.
void fill_stored(char *target, phi_float_type type, size_t count, float scale);

/// Whether numbers differ by no more than another order of additions explains.
bool are_near(const float *one, const float *other, size_t count);
bool are_equal(const void *one, const void *other, size_t byte_count);

/// How weights are stored: bits 0 as floats, otherwise as codes with scales.
typedef struct {
    uint32_t bits;
    phi_code_type code_type;
    phi_float_type scale_type;
} storage;

/// Products in float32, with weights in `size_count` sizes of groups: `size_min`, its double, ...
void compare_products(storage storage, uint32_t size_min, uint32_t size_count);
/// Products with activations rounded to int8.
void compare_int8_products(storage storage, uint32_t group_size);
/// Attention to keys and values of a type.
void compare_attention(phi_float_type type);
/// Conversions of `count` numbers, at most 256.
void compare_stores(size_t count);
/// Operations on vectors of `count` numbers, at most 256.
void compare_vectors(size_t count);

#endif
