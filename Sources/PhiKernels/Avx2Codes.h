// Weight codes as bytes, in registers of 32, for the products with activations rounded to int8.
#ifndef STOA_AVX2_CODES_H
#define STOA_AVX2_CODES_H

#include "Avx2.h"

enum {
    /// Weight codes in a register.
    CODES = 32,
    /// Maximum number of registers of a group.
    GROUP_REGISTERS = 4,
    /// Prefetch distance for weights in bytes: a memory page, where the hardware prefetcher stops.
    /// A fifth faster when weights come from memory.
    AHEAD = 4096,
};

/// Unpacks the codes of a group, one byte each, in the order of the activations.
AVX2_INLINE void unpack_group(
    const uint8_t *codes, const uint32_t bits, const size_t group_size,
    __m256i unpacked[GROUP_REGISTERS]) {
    const __m256i low = _mm256_set1_epi8(15);
    if (bits == 8) {
        for (size_t i = 0; i < group_size / CODES; i++) {
            unpacked[i] = _mm256_loadu_si256((const __m256i *)(codes + i * CODES));
        }
    } else if (group_size == CODES) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)codes);
        const __m256i both = _mm256_set_m128i(_mm_srli_epi16(bytes, 4), bytes);
        unpacked[0] = _mm256_and_si256(both, low);
    } else {
        for (size_t i = 0; i < group_size / CODES; i += 2) {
            const __m256i bytes =
                _mm256_loadu_si256((const __m256i *)(codes + i * CODES / 2));
            unpacked[i] = _mm256_and_si256(bytes, low);
            unpacked[i + 1] = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), low);
        }
    }
}

#endif
