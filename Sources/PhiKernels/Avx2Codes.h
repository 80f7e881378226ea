// Weight codes as bytes, in registers of 32, for the products with activations rounded to int8.
#ifndef STOA_AVX2_CODES_H
#define STOA_AVX2_CODES_H

#include <stdbool.h>

#include "Avx2.h"
#include "CodeLayout.h"

enum {
    /// Weight codes in a register.
    CODES = 32,
    /// Maximum number of registers of a group.
    GROUP_REGISTERS = 4,
    /// Prefetch distance for weights in bytes: two memory pages, where the hardware prefetcher stops.
    /// When weights come from memory, one page was up to a fifth slower, none much slower.
    AHEAD = 8192,
};

/// Codes of 4 bits in bytes, as the numbers that are multiplied: see phi_int8_activations.
AVX2_INLINE __m256i numbers_of(__m256i codes, const phi_code_type type) {
    if (type != PHI_E2M1_CODES) return codes;
    // Twice each of the floats, plus 12.
    const __m128i numbers =
        _mm_setr_epi8(12, 13, 14, 15, 16, 18, 20, 24, 12, 11, 10, 9, 8, 6, 4, 0);
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(numbers), codes);
}

/// Unpacks the codes of a group of at least CODES, one byte each, in the order of the activations.
AVX2_INLINE void unpack_group(
    const uint8_t *codes, const code_layout layout, __m256i unpacked[GROUP_REGISTERS]) {
    const size_t group_size = layout.group_size;
    const __m256i low = _mm256_set1_epi8(15);
    if (layout.bits == 8) {
        for (size_t i = 0; i < group_size / CODES; i++) {
            unpacked[i] = _mm256_loadu_si256((const __m256i *)(codes + i * CODES));
        }
    } else if (group_size == CODES) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)codes);
        const __m256i both = _mm256_set_m128i(_mm_srli_epi16(bytes, 4), bytes);
        unpacked[0] = numbers_of(_mm256_and_si256(both, low), layout.type);
    } else {
        for (size_t i = 0; i < group_size / CODES; i += 2) {
            const __m256i bytes =
                _mm256_loadu_si256((const __m256i *)(codes + i * CODES / 2));
            unpacked[i] = numbers_of(_mm256_and_si256(bytes, low), layout.type);
            unpacked[i + 1] = numbers_of(
                _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low), layout.type);
        }
    }
}

/// Unpacks two groups of 16 codes of 4 bits, or, if not `both`, one; each into half a register.
AVX2_INLINE __m256i unpack_small_groups(
    const uint8_t *codes, const bool both, const code_layout layout) {
    const __m128i bytes = both ? _mm_loadu_si128((const __m128i *)codes)
                               : _mm_loadl_epi64((const __m128i *)codes);
    // Each group's eight bytes twice: for the low halves, and for the high ones.
    const __m256i twice = _mm256_permute4x64_epi64(_mm256_castsi128_si256(bytes), 0x50);
    const __m256i halves = _mm256_srlv_epi64(twice, _mm256_setr_epi64x(0, 4, 0, 4));
    return numbers_of(_mm256_and_si256(halves, _mm256_set1_epi8(15)), layout.type);
}

/// Unpacks the codes of `some` groups, one group after the other.
AVX2_INLINE void unpack_groups(
    const uint8_t *codes, const code_layout layout, size_t some, __m256i *unpacked) {
    const size_t bytes = layout.group_size * layout.bits / 8;
    if (layout.group_size < CODES) {
        for (size_t i = 0; i < some; i += 2) {
            unpacked[i / 2] = unpack_small_groups(codes + i * bytes, i + 1 < some, layout);
        }
    } else {
        for (size_t i = 0; i < some; i++) {
            unpack_group(codes + i * bytes, layout, unpacked + i * layout.group_size / CODES);
        }
    }
}

#endif
