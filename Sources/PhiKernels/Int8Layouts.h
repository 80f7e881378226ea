// Products with activations rounded to int8, in tiles; the layout of the weights is passed as
// constants. A file that includes this first defines TILE, the maximum number of rows of
// activations in a tile, and BLOCK, the maximum number of rows of weights with it, and after it
// `layout_rows`.

#include "CodeLayout.h"
#include "Lanes.h"

/// A tile of activations from its first row on, and the address of its results.
typedef struct {
    const int8_t *codes;
    const float *scales;
    const float *sums;
    float *output;
    size_t output_stride;
} tile;

/// The tile of the activations from `first` on.
TARGET_INLINE tile tile_from(
    const phi_matrix *matrix, const phi_int8_activations *input, size_t first, float *output,
    size_t output_stride) {
    const size_t group_count = matrix->columns / matrix->group_size;
    return (tile){
        .codes = input->codes + first * matrix->columns,
        .scales = input->scales + first * group_count,
        .sums = input->sums + first * group_count,
        .output = output + first * output_stride,
        .output_stride = output_stride,
    };
}

/// Multiplies at most BLOCK rows of weights, whose layout is constant, with `count` rows of
/// activations.
TARGET_INLINE void layout_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const code_layout layout,
    size_t count);

TARGET static void multiply_tile(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, size_t count) {
    WITH_LAYOUT(matrix, layout_rows(matrix, row, end, tile, layout, count))
}

/// The rows first_row <= r < end_row with all activations.
TARGET static void multiply_tiles(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride) {
    for (size_t row = first_row; row < end_row; row += BLOCK) {
        const size_t end = end_row - row < BLOCK ? end_row : row + BLOCK;
        for (size_t i = 0; i < input->count; i += TILE) {
            const tile tile = tile_from(matrix, input, i, output, output_stride);
            const size_t left = input->count - i;
            multiply_tile(matrix, row, end, &tile, left < TILE ? left : TILE);
        }
    }
}
