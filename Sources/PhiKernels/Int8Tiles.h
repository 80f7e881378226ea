// Tiles of few rows of activations rounded to int8, for every instruction set: included by
// Int8Rows.h and NeonInt8Rows.h, which define `tile_rows`.

enum {
    /// Rows of activations that share an unpacked weight.
    TILE = 4,
    /// Rows of weights that stay in the cache while all activations are processed.
    BLOCK = 16,
};

#include "Int8Layouts.h"

/// Multiplies rows of weights, whose layout is constant, with `count` rows of activations.
TARGET_INLINE void tile_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const code_layout layout,
    const size_t count);

/// See Int8Layouts.h. Makes the count a constant too, so that sums stay in registers.
TARGET_INLINE void layout_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const code_layout layout,
    size_t count) {
    switch (count) {
        case 1: tile_rows(matrix, row, end, tile, layout, 1); break;
        case 2: tile_rows(matrix, row, end, tile, layout, 2); break;
        case 3: tile_rows(matrix, row, end, tile, layout, 3); break;
        default: tile_rows(matrix, row, end, tile, layout, TILE); break;
    }
}
