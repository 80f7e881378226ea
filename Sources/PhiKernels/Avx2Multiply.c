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

/// Codes index ... index + 7 of a row, as floats; index is a multiple of 8.
AVX2_INLINE __m256 load_codes(const uint8_t *codes, size_t index, const uint32_t bits) {
    if (bits == 8) {
        const __m128i eight = _mm_loadl_epi64((const __m128i *)(codes + index));
        return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(eight));
    }
    int32_t word;
    memcpy(&word, codes + index / 2, sizeof word);
    const __m256i shifts = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    const __m256i shifted = _mm256_srlv_epi32(_mm256_set1_epi32(word), shifts);
    return _mm256_cvtepi32_ps(_mm256_and_si256(shifted, _mm256_set1_epi32(15)));
}

/// sums += scale * sum(code * x) over the codes first ... first + group_size - 1 of a row, for each
/// row of the tile.
AVX2_INLINE void add_group(
    const uint8_t *codes, size_t first, size_t group_size, float scale, const tile *tile,
    size_t columns, const uint32_t bits, const size_t count, __m256 sums[TILE]) {
    __m256 parts[TILE];
    for (size_t i = 0; i < count; i++) parts[i] = _mm256_setzero_ps();
    for (size_t column = first; column < first + group_size; column += LANES) {
        const __m256 weights = load_codes(codes, column, bits);
        for (size_t i = 0; i < count; i++) {
            const float *values = tile->values + i * columns + column;
            parts[i] = _mm256_fmadd_ps(weights, _mm256_loadu_ps(values), parts[i]);
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
    const phi_float_type type = matrix->float_type;
    const size_t group_size = matrix->group_size;
    const size_t group_count = matrix->columns / group_size;
    const uint8_t *codes = (const uint8_t *)matrix->weights + row * matrix->columns * bits / 8;
    __m256 sums[TILE];
    for (size_t i = 0; i < count; i++) sums[i] = _mm256_setzero_ps();

    // Eight groups at a time, so that their scales and biases are converted together.
    for (size_t first = 0; first < group_count; first += LANES) {
        const size_t some = group_count - first < LANES ? group_count - first : LANES;
        const size_t index = row * group_count + first;
        const __m256 biases = load_some_floats(matrix->biases, type, index, some, 0);
        for (size_t i = 0; i < count; i++) {
            const float *group_sums = tile->group_sums + i * group_count + first;
            const __m256 x = load_some_floats(group_sums, PHI_FLOAT32, 0, some, 0);
            sums[i] = _mm256_fmadd_ps(biases, x, sums[i]);
        }
        float scales[LANES];
        _mm256_storeu_ps(scales, load_some_floats(matrix->scales, type, index, some, 0));
        for (size_t group = 0; group < some; group++) {
            add_group(
                codes, (first + group) * group_size, group_size, scales[group], tile,
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

/// Rows of one layout and a constant count of activations, so that the compiler keeps sums in
/// registers.
AVX2_INLINE void tile_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const size_t count) {
    if (matrix->bits == 4) {
        for (; row < end; row++) affine_row(matrix, row, tile, 4, count);
    } else if (matrix->bits == 8) {
        for (; row < end; row++) affine_row(matrix, row, tile, 8, count);
    } else if (matrix->float_type == PHI_FLOAT32) {
        for (; row < end; row++) float_row(matrix, row, tile, PHI_FLOAT32, count);
    } else if (matrix->float_type == PHI_FLOAT16) {
        for (; row < end; row++) float_row(matrix, row, tile, PHI_FLOAT16, count);
    } else {
        for (; row < end; row++) float_row(matrix, row, tile, PHI_BFLOAT16, count);
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
