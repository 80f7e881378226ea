// Products of quantized rows with activations rounded to int8, for instruction sets with 32-byte
// registers. A file that includes this first defines TARGET, the functions' attribute,
// TARGET_INLINE, MULTIPLY_INT8, what Int8Panels.h requires, and
//
//     TARGET_INLINE __m256i dot_codes(const __m256i *weights, const int8_t *x, size_t count, bits)
//
// the products of `count` times 32 weight codes, as bytes, with as many of x, summed in any eight
// parts. Sums of integers are exact, so their order does not matter; the order of the float sums is
// defined by phi_int8_activations.

#include "Avx2Codes.h"

#include "Int8Tiles.h"

/// Prefetches `count` bytes of weights into the second-level cache; into the first one, a pass of four
/// rows took a tenth longer (Zen 4). The address may be beyond the matrix: a prefetch does not read.
TARGET_INLINE void ask_ahead(const void *bytes, const size_t count) {
    for (size_t i = 0; i < count; i += CACHE_LINE) {
        _mm_prefetch((const char *)bytes + AHEAD + i, _MM_HINT_T1);
    }
}

/// Adds the four parts in each half of two registers pairwise: a, b, a, b in each half.
TARGET_INLINE __m256i fold_two(__m256i a, __m256i b) {
    return _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
}

/// The sums of eight registers, two of which are in each of `folded`.
TARGET_INLINE __m256i fold_eight(const __m256i folded[4]) {
    __m256i four[2];
    for (int i = 0; i < 2; i++) {
        const __m256i a = folded[2 * i];
        const __m256i b = folded[2 * i + 1];
        four[i] = _mm256_add_epi32(_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    }
    return _mm256_add_epi32(
        _mm256_permute2x128_si256(four[0], four[1], 0x20),
        _mm256_permute2x128_si256(four[0], four[1], 0x31));
}

/// The same for groups of 16, of which a register has two, one in each half.
TARGET_INLINE void dot_small_groups(
    const uint8_t *codes, const int8_t *x, size_t columns, const code_layout layout,
    const size_t some, const size_t count, __m256i dots[TILE]) {
    const size_t group_bytes = layout.group_size * layout.bits / 8;
    __m256i parts[TILE][LANES / 2];
    for (size_t pair = 0; pair < LANES; pair += 2) {
        ask_ahead(codes + pair * group_bytes, 2 * group_bytes);
        const bool both = pair + 1 < some;
        __m256i weights = _mm256_setzero_si256();
        if (pair < some) weights = unpack_small_groups(codes + pair * group_bytes, both, layout);
        for (size_t i = 0; i < count; i++) {
            const int8_t *row = x + i * columns + pair * layout.group_size;
            int8_t last[CODES] = {0};
            if (!both && pair < some) memcpy(last, row, layout.group_size);
            parts[i][pair / 2] = pair < some
                ? dot_codes(&weights, both ? row : last, 1, layout.bits)
                : _mm256_setzero_si256();
        }
    }
    for (size_t i = 0; i < count; i++) {
        const __m256i first = fold_two(parts[i][0], parts[i][1]);
        const __m256i second = fold_two(parts[i][2], parts[i][3]);
        const __m256i sums = _mm256_add_epi32(
            _mm256_unpacklo_epi64(first, second), _mm256_unpackhi_epi64(first, second));
        // The even groups, then the odd ones.
        dots[i] = _mm256_permutevar8x32_epi32(sums, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    }
}

/// dots[i] = the products of `some` groups, at most eight, with those of row i of the tile, one
/// lane each. `x` points to the first row's codes of these groups; rows are `columns` apart.
TARGET_INLINE void dot_groups(
    const uint8_t *codes, const int8_t *x, size_t columns, const code_layout layout,
    const size_t some, const size_t count, __m256i dots[TILE]) {
    if (layout.group_size < CODES) {
        dot_small_groups(codes, x, columns, layout, some, count, dots);
        return;
    }
    const uint32_t bits = layout.bits;
    const size_t group_size = layout.group_size;
    const size_t group_bytes = group_size * bits / 8;
    const size_t registers = group_size / CODES;
    __m256i folded[TILE][LANES / 2];
    for (size_t pair = 0; pair < LANES; pair += 2) {
        ask_ahead(codes + pair * group_bytes, 2 * group_bytes);
        __m256i first[GROUP_REGISTERS];
        __m256i second[GROUP_REGISTERS];
        if (pair < some) unpack_group(codes + pair * group_bytes, layout, first);
        if (pair + 1 < some) unpack_group(codes + (pair + 1) * group_bytes, layout, second);
        for (size_t i = 0; i < count; i++) {
            const int8_t *row = x + i * columns + pair * group_size;
            __m256i a = _mm256_setzero_si256();
            __m256i b = _mm256_setzero_si256();
            if (pair < some) a = dot_codes(first, row, registers, bits);
            if (pair + 1 < some) b = dot_codes(second, row + group_size, registers, bits);
            folded[i][pair / 2] = fold_two(a, b);
        }
    }
    for (size_t i = 0; i < count; i++) dots[i] = fold_eight(folded[i]);
}

/// Adds `some` groups, at most eight, from `group` on, of a row of weights to the tile's sums.
TARGET_INLINE void add_groups(
    const phi_matrix *matrix, size_t row, size_t group, const tile *tile,
    const code_layout layout, const size_t some, const size_t count, __m256 sums[TILE]) {
    const size_t columns = matrix->columns;
    const size_t group_count = columns / layout.group_size;
    const size_t column = group * layout.group_size;
    __m256i dots[TILE];
    dot_groups(
        (const uint8_t *)matrix->weights + (row * columns + column) * layout.bits / 8,
        tile->codes + column, columns, layout, some, count, dots);

    __m256 scales, biases;
    load_scales(matrix, row * group_count + group, some, layout.type, &scales, &biases);
    for (size_t i = 0; i < count; i++) {
        const size_t x = i * group_count + group;
        const __m256 x_scales = load_some_floats(tile->scales, PHI_FLOAT32, x, some, 0);
        const __m256 x_sums = load_some_floats(tile->sums, PHI_FLOAT32, x, some, 0);
        sums[i] = _mm256_fmadd_ps(biases, x_sums, sums[i]);
        sums[i] = _mm256_fmadd_ps(
            _mm256_mul_ps(scales, x_scales), _mm256_cvtepi32_ps(dots[i]), sums[i]);
    }
}

/// See Int8Tiles.h.
TARGET_INLINE void tile_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const code_layout layout,
    const size_t count) {
    const size_t group_count = matrix->columns / layout.group_size;
    for (; row < end; row++) {
        __m256 sums[TILE];
        for (size_t i = 0; i < count; i++) sums[i] = _mm256_setzero_ps();
        size_t group = 0;
        for (; group + LANES <= group_count; group += LANES) {
            add_groups(matrix, row, group, tile, layout, LANES, count, sums);
        }
        if (group < group_count) {
            const size_t some = group_count - group;
            add_groups(matrix, row, group, tile, layout, some, count, sums);
        }
        for (size_t i = 0; i < count; i++) {
            tile->output[i * tile->output_stride + row] = sum_of_lanes(sums[i]);
        }
    }
}

#include "Int8Panels.h"

TARGET void MULTIPLY_INT8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride) {
    first_row = multiply_panels(matrix, first_row, end_row, input, output, output_stride);
    multiply_tiles(matrix, first_row, end_row, input, output, output_stride);
}
