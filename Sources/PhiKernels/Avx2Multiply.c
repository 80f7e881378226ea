// Products in AVX2. A weight is unpacked once for up to four rows of activations, which take most
// of the work's registers. Whatever the tile, the sum of one row with another runs over the same
// lanes in the same order, so a result does not depend on how many rows are multiplied at once.

#if defined(__x86_64__)

#include "Avx2.h"

enum {
    /// Rows of activations that share an unpacked weight.
    TILE = 4,
    /// Rows of weights that stay in the cache while all activations pass by.
    BLOCK = 32,
};

/// A tile: `count` rows of activations from `values` on, and where their results go.
typedef struct {
    const float *values;
    const float *group_sums;
    float *output;
    size_t output_stride;
} tile;

/// The `count` bytes from `bytes` on, at most four, as a number; the lowest first.
AVX2_INLINE int32_t load_word(const uint8_t *bytes, const uint32_t count) {
    int32_t word = 0;
    if (count == sizeof word) {
        memcpy(&word, bytes, sizeof word);
    } else {
        for (uint32_t i = 0; i < count; i++) word |= bytes[i] << 8 * i;
    }
    return word;
}

/// Eight codes as floats. Of any width, they are as many whole bytes as a code has bits, and no
/// others are read.
AVX2_INLINE __m256 load_codes(const uint8_t *bytes, const uint32_t bits) {
    if (bits == 8) {
        const __m128i eight = _mm_loadl_epi64((const __m128i *)bytes);
        return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight));
    }
    // The first four codes lie within the first four bytes, the others within the last four; these
    // may be the same.
    const uint32_t size = bits < 4 ? bits : 4;
    const uint32_t start = bits - size;
    const __m256i words = _mm256_set_m128i(
        _mm_set1_epi32(load_word(bytes + start, size)), _mm_set1_epi32(load_word(bytes, size)));
    const int width = (int)bits;
    const int fifth = 4 * width - 8 * (int)start;
    const __m256i shifts = _mm256_setr_epi32(
        0, width, 2 * width, 3 * width,
        fifth, fifth + width, fifth + 2 * width, fifth + 3 * width);
    const __m256i mask = _mm256_set1_epi32((1 << width) - 1);
    return _mm256_cvtepi32_ps(_mm256_and_si256(_mm256_srlv_epi32(words, shifts), mask));
}

/// sums += scale * sum(code * x) over a group of codes and as many columns of `values`, for each row
/// of the tile; rows of `values` are `columns` apart.
AVX2_INLINE void add_group(
    const uint8_t *codes, size_t group_size, float scale, const float *values, size_t columns,
    const uint32_t bits, const size_t count, __m256 sums[TILE]) {
    __m256 parts[TILE];
    for (size_t i = 0; i < count; i++) parts[i] = _mm256_setzero_ps();
    for (size_t column = 0; column < group_size; column += LANES) {
        const __m256 weights = load_codes(codes, bits);
        codes += bits;
        for (size_t i = 0; i < count; i++) {
            const __m256 x = _mm256_loadu_ps(values + i * columns + column);
            parts[i] = _mm256_fmadd_ps(weights, x, parts[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        sums[i] = _mm256_fmadd_ps(_mm256_set1_ps(scale), parts[i], sums[i]);
    }
}

/// One affine row with `count` rows of activations. Over a group, sum(value * x) is
/// scale * sum(code * x) + bias * sum(x), so only codes are unpacked.
AVX2_INLINE void affine_row(
    const phi_matrix *matrix, size_t row, const tile *tile, const uint32_t bits,
    const size_t count) {
    const size_t group_size = matrix->group_size;
    const size_t group_count = matrix->columns / group_size;
    const uint8_t *codes = (const uint8_t *)matrix->weights + row * matrix->columns * bits / 8;
    __m256 sums[TILE];
    for (size_t i = 0; i < count; i++) sums[i] = _mm256_setzero_ps();

    // Eight groups at a time, so that their scales and biases are converted together.
    for (size_t first = 0; first < group_count; first += LANES) {
        const size_t some = group_count - first < LANES ? group_count - first : LANES;
        const size_t index = row * group_count + first;
        const __m256 biases = load_some_floats(
            matrix->biases, matrix->bias_type, index, some, 0);
        for (size_t i = 0; i < count; i++) {
            const float *group_sums = tile->group_sums + i * group_count + first;
            const __m256 x = load_some_floats(group_sums, PHI_FLOAT32, 0, some, 0);
            sums[i] = _mm256_fmadd_ps(biases, x, sums[i]);
        }
        float scales[LANES];
        _mm256_storeu_ps(
            scales, load_some_floats(matrix->scales, matrix->float_type, index, some, 0));
        for (size_t group = 0; group < some; group++) {
            const size_t column = (first + group) * group_size;
            add_group(
                codes + column / 8 * bits, group_size, scales[group], tile->values + column,
                matrix->columns, bits, count, sums);
        }
    }
    for (size_t i = 0; i < count; i++) {
        tile->output[i * tile->output_stride + row] = sum_of_lanes(sums[i]);
    }
}

/// One float row with `count` rows of activations.
AVX2_INLINE void float_row(
    const phi_matrix *matrix, size_t row, const tile *tile, const phi_float_type type,
    const size_t count) {
    const size_t columns = matrix->columns;
    const size_t start = row * columns;
    // Two sums for each, since an addition takes longer than it takes to begin the next.
    __m256 even[TILE];
    __m256 odd[TILE];
    for (size_t i = 0; i < count; i++) even[i] = odd[i] = _mm256_setzero_ps();

    size_t column = 0;
    for (; column + 2 * LANES <= columns; column += 2 * LANES) {
        const __m256 first = load_floats(matrix->weights, type, start + column);
        const __m256 second = load_floats(matrix->weights, type, start + column + LANES);
        for (size_t i = 0; i < count; i++) {
            const float *values = tile->values + i * columns + column;
            even[i] = _mm256_fmadd_ps(first, _mm256_loadu_ps(values), even[i]);
            odd[i] = _mm256_fmadd_ps(second, _mm256_loadu_ps(values + LANES), odd[i]);
        }
    }
    for (; column < columns; column += LANES) {
        const size_t some = columns - column < LANES ? columns - column : LANES;
        const __m256 first = load_some_floats(matrix->weights, type, start + column, some, 0);
        for (size_t i = 0; i < count; i++) {
            const float *values = tile->values + i * columns + column;
            const __m256 x = load_some_floats(values, PHI_FLOAT32, 0, some, 0);
            even[i] = _mm256_fmadd_ps(first, x, even[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        tile->output[i * tile->output_stride + row] =
            sum_of_lanes(_mm256_add_ps(even[i], odd[i]));
    }
}

/// Float rows with `count` rows of activations.
AVX2_INLINE void float_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const phi_float_type type,
    const size_t count) {
    for (; row < end; row++) float_row(matrix, row, tile, type, count);
}

/// Affine rows with `count` rows of activations.
AVX2_INLINE void affine_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const uint32_t bits,
    const size_t count) {
    for (; row < end; row++) affine_row(matrix, row, tile, bits, count);
}

/// Rows with a constant count of activations. Layouts become constants here too, so that the
/// compiler unrolls what depends on them and keeps sums in registers.
AVX2_INLINE void tile_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const size_t count) {
    switch (matrix->bits) {
        case 2: affine_rows(matrix, row, end, tile, 2, count); return;
        case 3: affine_rows(matrix, row, end, tile, 3, count); return;
        case 4: affine_rows(matrix, row, end, tile, 4, count); return;
        case 5: affine_rows(matrix, row, end, tile, 5, count); return;
        case 6: affine_rows(matrix, row, end, tile, 6, count); return;
        case 8: affine_rows(matrix, row, end, tile, 8, count); return;
        default: break;
    }
    switch (matrix->float_type) {
        case PHI_FLOAT32: float_rows(matrix, row, end, tile, PHI_FLOAT32, count); return;
        case PHI_FLOAT16: float_rows(matrix, row, end, tile, PHI_FLOAT16, count); return;
        case PHI_BFLOAT16: float_rows(matrix, row, end, tile, PHI_BFLOAT16, count); return;
    }
}

AVX2 static void multiply_tile(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, size_t count) {
    switch (count) {
        case 1: tile_rows(matrix, row, end, tile, 1); break;
        case 2: tile_rows(matrix, row, end, tile, 2); break;
        case 3: tile_rows(matrix, row, end, tile, 3); break;
        default: tile_rows(matrix, row, end, tile, TILE); break;
    }
}

AVX2 void phi_avx2_multiply(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_activations *input,
    float *output, size_t output_stride) {
    const size_t group_count = matrix->bits ? matrix->columns / matrix->group_size : 0;
    for (size_t row = first_row; row < end_row; row += BLOCK) {
        const size_t end = end_row - row < BLOCK ? end_row : row + BLOCK;
        for (size_t i = 0; i < input->count; i += TILE) {
            const tile tile = {
                .values = input->values + i * matrix->columns,
                .group_sums = group_count ? input->group_sums + i * group_count : NULL,
                .output = output + i * output_stride,
                .output_stride = output_stride,
            };
            const size_t left = input->count - i;
            multiply_tile(matrix, row, end, &tile, left < TILE ? left : TILE);
        }
    }
}

#endif
