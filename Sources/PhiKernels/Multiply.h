// Products for an instruction set: see Lanes.h. A weight is unpacked once for up to four rows of
// activations, whose sums use most registers. The sum of one row with another runs over the same
// lanes in the same order whatever the tile, so a result does not depend on how many rows are
// multiplied at once.
//
// A file that includes this also defines MULTIPLY, the function's name, and before it, for eight
// codes at a time,
//
//     TARGET_INLINE void codes_of_words(uint32_t low, uint32_t high, const int32_t shifts[8],
//                                       uint32_t mask, lanes codes[])
//     TARGET_INLINE void codes_of_bytes(const uint8_t *bytes, lanes codes[])
//     TARGET_INLINE void codes_of_e2m1(uint32_t word, lanes codes[])
//     TARGET_INLINE void codes_of_e4m3(const uint8_t *bytes, lanes codes[])
//
// of two words with four integers each, where code i is shifted right by shifts[i]; of eight integers
// of a byte; of eight E2M1 codes; and of sixteen E4M3 codes, divided by E4M3_UNIT.

#include "Lanes.h"

enum {
    /// Rows of activations that share an unpacked weight.
    TILE = 4,
    /// Rows of weights that stay in the cache while all activations are processed.
    BLOCK = 32,
    /// Codes that are unpacked together, and the registers that they fill.
    CODES = 8,
    CODE_REGISTERS = CODES / LANES,
    /// The same for E4M3 codes: as halves, sixteen fill one register.
    WIDE_CODES = 16,
    WIDE_CODE_REGISTERS = WIDE_CODES / LANES,
    /// The factor from the halves with the fields of E4M3 codes to these: see
    /// `phi_float_from_e4m3`.
    E4M3_UNIT = 256,
};

/// A tile: `count` rows of activations from `values` on, and the address of its results.
typedef struct {
    const float *values;
    const float *group_sums;
    float *output;
    size_t output_stride;
} tile;

/// At most four bytes as a little-endian number.
TARGET_INLINE uint32_t load_word(const uint8_t *bytes, const uint32_t count) {
    uint32_t word = 0;
    if (count == sizeof word) {
        memcpy(&word, bytes, sizeof word);
    } else {
        for (uint32_t i = 0; i < count; i++) word |= (uint32_t)bytes[i] << 8 * i;
    }
    return word;
}

/// Loads eight codes as floats, or sixteen E4M3 codes. No other bytes are read.
TARGET_INLINE void load_codes(
    const uint8_t *bytes, const uint32_t bits, const phi_code_type type,
    lanes codes[WIDE_CODE_REGISTERS]) {
    if (type == PHI_E4M3_CODES) {
        codes_of_e4m3(bytes, codes);
        return;
    }
    if (type == PHI_E2M1_CODES) {
        codes_of_e2m1(load_word(bytes, 4), codes);
        return;
    }
    if (bits == 8) {
        codes_of_bytes(bytes, codes);
        return;
    }
    // The first four codes are within the first four bytes, the others within the last four; these
    // may overlap.
    const uint32_t size = bits < 4 ? bits : 4;
    const uint32_t start = bits - size;
    const int32_t width = (int32_t)bits;
    const int32_t fifth = 4 * width - 8 * (int32_t)start;
    const int32_t shifts[CODES] = {
        0, width, 2 * width, 3 * width,
        fifth, fifth + width, fifth + 2 * width, fifth + 3 * width,
    };
    codes_of_words(
        load_word(bytes, size), load_word(bytes + start, size), shifts, (1u << bits) - 1, codes);
}

/// sums += scale * sum(code * x) over a group of codes and as many columns of `values`, for each row
/// of the tile; rows of `values` are `columns` apart.
TARGET_INLINE void add_group(
    const uint8_t *codes, size_t group_size, float scale, const float *values, size_t columns,
    const uint32_t bits, const phi_code_type type, const size_t count, lanes sums[TILE]) {
    lanes parts[TILE];
    for (size_t i = 0; i < count; i++) parts[i] = lanes_of(0);
    const size_t step = type == PHI_E4M3_CODES ? WIDE_CODES : CODES;
    for (size_t column = 0; column < group_size; column += step) {
        lanes weights[WIDE_CODE_REGISTERS];
        load_codes(codes, bits, type, weights);
        codes += step * bits / 8;
        for (size_t i = 0; i < count; i++) {
            const float *x = values + i * columns + column;
            for (size_t r = 0; r < step / LANES; r++) {
                parts[i] = lanes_multiply_add(weights[r], lanes_load(x + r * LANES), parts[i]);
            }
        }
    }
    for (size_t i = 0; i < count; i++) {
        sums[i] = lanes_multiply_add(lanes_of(scale), parts[i], sums[i]);
    }
}

/// One quantized row with `count` rows of activations. Over a group, sum(value * x) is
/// scale * sum(code * x) + bias * sum(x), so only codes are unpacked.
TARGET_INLINE void quantized_row(
    const phi_matrix *matrix, size_t row, const tile *tile, const uint32_t bits,
    const phi_code_type type, const size_t count) {
    const size_t group_size = matrix->group_size;
    const size_t group_count = matrix->columns / group_size;
    const uint8_t *codes = (const uint8_t *)matrix->weights + row * matrix->columns * bits / 8;
    lanes sums[TILE];
    for (size_t i = 0; i < count; i++) sums[i] = lanes_of(0);

    // One register of groups at a time, so that their scales and biases are converted together.
    for (size_t first = 0; first < group_count; first += LANES) {
        const size_t some = group_count - first < LANES ? group_count - first : LANES;
        const size_t index = row * group_count + first;
        if (type == PHI_INTEGER_CODES) {
            const lanes biases = load_some_floats(
                matrix->biases, matrix->bias_type, index, some, 0);
            for (size_t i = 0; i < count; i++) {
                const float *group_sums = tile->group_sums + i * group_count + first;
                const lanes x = load_some_floats(group_sums, PHI_FLOAT32, 0, some, 0);
                sums[i] = lanes_multiply_add(biases, x, sums[i]);
            }
        }
        lanes scale = load_some_floats(matrix->scales, matrix->float_type, index, some, 0);
        if (type == PHI_E4M3_CODES) scale = lanes_multiply(scale, lanes_of(E4M3_UNIT));
        float scales[LANES];
        lanes_store(scales, scale);
        for (size_t group = 0; group < some; group++) {
            const size_t column = (first + group) * group_size;
            add_group(
                codes + column / 8 * bits, group_size, scales[group], tile->values + column,
                matrix->columns, bits, type, count, sums);
        }
    }
    for (size_t i = 0; i < count; i++) {
        tile->output[i * tile->output_stride + row] = sum_of_lanes(sums[i]);
    }
}

/// One float row with `count` rows of activations.
TARGET_INLINE void float_row(
    const phi_matrix *matrix, size_t row, const tile *tile, const phi_float_type type,
    const size_t count) {
    const size_t columns = matrix->columns;
    const size_t start = row * columns;
    // Two sums for each row, since an addition has a longer latency than the interval between two
    // additions.
    lanes even[TILE];
    lanes odd[TILE];
    for (size_t i = 0; i < count; i++) even[i] = odd[i] = lanes_of(0);

    size_t column = 0;
    for (; column + 2 * LANES <= columns; column += 2 * LANES) {
        const lanes first = load_floats(matrix->weights, type, start + column);
        const lanes second = load_floats(matrix->weights, type, start + column + LANES);
        for (size_t i = 0; i < count; i++) {
            const float *values = tile->values + i * columns + column;
            even[i] = lanes_multiply_add(first, lanes_load(values), even[i]);
            odd[i] = lanes_multiply_add(second, lanes_load(values + LANES), odd[i]);
        }
    }
    for (; column < columns; column += LANES) {
        const size_t some = columns - column < LANES ? columns - column : LANES;
        const lanes first = load_some_floats(matrix->weights, type, start + column, some, 0);
        for (size_t i = 0; i < count; i++) {
            const float *values = tile->values + i * columns + column;
            const lanes x = load_some_floats(values, PHI_FLOAT32, 0, some, 0);
            even[i] = lanes_multiply_add(first, x, even[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        tile->output[i * tile->output_stride + row] =
            sum_of_lanes(lanes_add(even[i], odd[i]));
    }
}

/// Float rows with `count` rows of activations.
TARGET_INLINE void float_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const phi_float_type type,
    const size_t count) {
    for (; row < end; row++) float_row(matrix, row, tile, type, count);
}

/// Quantized rows with `count` rows of activations.
TARGET_INLINE void quantized_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const uint32_t bits,
    const phi_code_type type, const size_t count) {
    for (; row < end; row++) quantized_row(matrix, row, tile, bits, type, count);
}

/// Affine rows with `count` rows of activations.
TARGET_INLINE void affine_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const uint32_t bits,
    const size_t count) {
    quantized_rows(matrix, row, end, tile, bits, PHI_INTEGER_CODES, count);
}

/// Multiplies rows with a constant count of activations. Makes layouts constants too, so that the
/// compiler unrolls loops and keeps sums in registers.
TARGET_INLINE void tile_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const size_t count) {
    switch (matrix->code_type) {
        case PHI_E2M1_CODES:
            quantized_rows(matrix, row, end, tile, 4, PHI_E2M1_CODES, count);
            return;
        case PHI_E4M3_CODES:
            quantized_rows(matrix, row, end, tile, 8, PHI_E4M3_CODES, count);
            return;
        default: break;
    }
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
        default: float_rows(matrix, row, end, tile, PHI_BFLOAT16, count); return;
    }
}

TARGET static void multiply_tile(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, size_t count) {
    switch (count) {
        case 1: tile_rows(matrix, row, end, tile, 1); break;
        case 2: tile_rows(matrix, row, end, tile, 2); break;
        case 3: tile_rows(matrix, row, end, tile, 3); break;
        default: tile_rows(matrix, row, end, tile, TILE); break;
    }
}

TARGET void MULTIPLY(
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
