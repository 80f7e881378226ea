// Registers of whole numbers in NEON, as AttendCodes.h expects them: `words` are numbers of 16 bits,
// `integers` of 32.
#ifndef STOA_NEON_WORDS_H
#define STOA_NEON_WORDS_H

#include "Neon.h"

/// The words in a register.
enum { WORDS = 2 * LANES };

typedef int16x8_t words;
typedef int32x4_t integers;

NEON_INLINE integers integers_of_zero(void) { return vdupq_n_s32(0); }

NEON_INLINE lanes lanes_of_integers(integers x) { return vcvtq_f32_s32(x); }

NEON_INLINE integers integers_load(const int32_t *numbers) { return vld1q_s32(numbers); }

/// The nearest integers.
NEON_INLINE integers nearest_integers(lanes x) { return vcvtnq_s32_f32(x); }

/// Writes the nearest integers, -32767 ... 32767, as LANES words.
NEON_INLINE void store_words(int16_t *target, lanes x) {
    vst1_s16(target, vqmovn_s32(nearest_integers(x)));
}

/// WORDS codes as words.
NEON_INLINE words words_of_codes(const int8_t *codes) { return vmovl_s8(vld1_s8(codes)); }

/// The sum of products of words, in any order: its sum over all lanes is what counts.
NEON_INLINE integers add_products(integers sum, words a, const int16_t *b) {
    const words factors = vld1q_s16(b);
    return vmlal_high_s16(vmlal_s16(sum, vget_low_s16(a), vget_low_s16(factors)), a, factors);
}

/// target[i] = the sum of all numbers of x[i], for four registers.
NEON_INLINE void store_sums_of_integers(int32_t *target, const integers x[4]) {
    vst1q_s32(target, vpaddq_s32(vpaddq_s32(x[0], x[1]), vpaddq_s32(x[2], x[3])));
}

/// WORDS codes of two values.
typedef struct {
    words values[2];
} code_pairs;

NEON_INLINE code_pairs pair_codes(const int8_t *first, const int8_t *second) {
    return (code_pairs){{words_of_codes(first), words_of_codes(second)}};
}

/// Adds the two values, multiplied by two weights, to WORDS sums.
NEON_INLINE void add_weighted(integers sums[2], code_pairs pairs, const int16_t weights[2]) {
    for (int i = 0; i < 2; i++) {
        sums[0] = vmlal_n_s16(sums[0], vget_low_s16(pairs.values[i]), weights[i]);
        sums[1] = vmlal_high_n_s16(sums[1], pairs.values[i], weights[i]);
    }
}

/// LANES pairs of words: the first ones of all, then the second ones.
typedef int16x8_t word_pairs;

/// The pairs of the integers a[i] and b[i], -32767 ... 32767.
NEON_INLINE word_pairs word_pairs_of(integers a, integers b) {
    return vcombine_s16(vmovn_s32(a), vmovn_s32(b));
}

/// sum[i] + the products of the words of pair i and the two factors.
NEON_INLINE integers add_pair_products(
    integers sum, word_pairs pairs, const int16_t factors[2]) {
    const integers first = vmlal_n_s16(sum, vget_low_s16(pairs), factors[0]);
    return vmlal_high_n_s16(first, pairs, factors[1]);
}

#endif
