// Products of quantized rows with activations rounded to int8, in 16-byte registers. A file that
// includes this first defines TARGET, the functions' attribute, TARGET_INLINE, MULTIPLY_INT8, and
//
//     TARGET_INLINE int32x4_t add_products(int32x4_t sums, int8x16_t weights, int8x16_t x)
//
// the products of 16 signed bytes, added to the sums in any four parts. Sums of integers are exact,
// so their order does not matter; the order of the float sums is defined by phi_int8_activations.

#include "Neon.h"

#include "Int8Tiles.h"

enum {
    /// Weight codes in a register.
    CODES = 16,
    /// Maximum number of registers of a group.
    GROUP_REGISTERS = 8,
    /// The running sums of phi_int8_activations, in registers.
    SUM_REGISTERS = 2,
};

/// The codes of a group as signed bytes, in the order of the activations; 8-bit codes minus 128.
TARGET_INLINE void unpack_group(
    const uint8_t *codes, const code_layout layout, int8x16_t unpacked[GROUP_REGISTERS]) {
    const size_t group_size = layout.group_size;
    if (group_size < 2 * CODES) {
        const uint8x8_t bytes = vld1_u8(codes);
        const uint8x8_t low = vand_u8(bytes, vdup_n_u8(15));
        unpacked[0] = numbers_of(vcombine_u8(low, vshr_n_u8(bytes, 4)), layout.type);
        return;
    }
    if (layout.bits == 8) {
        for (size_t i = 0; i < group_size / CODES; i++) {
            const uint8x16_t bytes = vld1q_u8(codes + i * CODES);
            unpacked[i] = vreinterpretq_s8_u8(veorq_u8(bytes, vdupq_n_u8(128)));
        }
        return;
    }
    // A block stores its even codes, then its odd ones: see `quantize`.
    const size_t half = group_size == 32 ? 1 : 2;
    for (size_t i = 0; i < group_size / CODES; i += 2 * half) {
        for (size_t j = 0; j < half; j++) {
            const uint8x16_t bytes = vld1q_u8(codes + (i / 2 + j) * CODES);
            unpacked[i + j] = numbers_of(vandq_u8(bytes, vdupq_n_u8(15)), layout.type);
            unpacked[i + half + j] = numbers_of(vshrq_n_u8(bytes, 4), layout.type);
        }
    }
}

/// The products of a group's codes with those of x, in four parts.
TARGET_INLINE int32x4_t dot_codes(
    const int8x16_t *weights, const int8_t *x, const size_t count, const uint32_t bits) {
    int32x4_t sums = vdupq_n_s32(0);
    int32x4_t too_much = vdupq_n_s32(0);
    for (size_t i = 0; i < count; i++) {
        const int8x16_t codes = vld1q_s8(x + i * CODES);
        sums = add_products(sums, weights[i], codes);
        if (bits == 8) too_much = add_products(too_much, vdupq_n_s8(-128), codes);
    }
    return bits == 8 ? vsubq_s32(sums, too_much) : sums;
}

/// dots[i] = the products of `some` groups, at most four, with those of row i of the tile, one lane
/// each. `x` points to the first row's codes of these groups; rows are `columns` apart.
TARGET_INLINE void dot_groups(
    const uint8_t *codes, const int8_t *x, size_t columns, const code_layout layout,
    const size_t some, const size_t count, int32x4_t dots[TILE]) {
    const uint32_t bits = layout.bits;
    const size_t group_size = layout.group_size;
    int32x4_t parts[TILE][LANES];
    for (size_t group = 0; group < LANES; group++) {
        int8x16_t unpacked[GROUP_REGISTERS];
        if (group < some) {
            unpack_group(codes + group * group_size * bits / 8, layout, unpacked);
        }
        for (size_t i = 0; i < count; i++) {
            const int8_t *row = x + i * columns + group * group_size;
            parts[i][group] = group < some
                ? dot_codes(unpacked, row, group_size / CODES, bits)
                : vdupq_n_s32(0);
        }
    }
    for (size_t i = 0; i < count; i++) {
        dots[i] = vpaddq_s32(
            vpaddq_s32(parts[i][0], parts[i][1]), vpaddq_s32(parts[i][2], parts[i][3]));
    }
}

/// Adds `some` groups, at most four, from `group` on, of a row of weights to the tile's sums in
/// register `part`.
TARGET_INLINE void add_groups(
    const phi_matrix *matrix, size_t row, size_t group, const tile *tile,
    const code_layout layout, const size_t some, const size_t count, const size_t part,
    lanes sums[TILE][SUM_REGISTERS]) {
    const size_t columns = matrix->columns;
    const size_t group_count = columns / layout.group_size;
    const size_t column = group * layout.group_size;
    int32x4_t dots[TILE];
    dot_groups(
        (const uint8_t *)matrix->weights + (row * columns + column) * layout.bits / 8,
        tile->codes + column, columns, layout, some, count, dots);

    lanes scales, biases;
    load_scales(matrix, row * group_count + group, some, layout.type, &scales, &biases);
    for (size_t i = 0; i < count; i++) {
        const size_t x = i * group_count + group;
        const lanes x_scales = load_some_floats(tile->scales, PHI_FLOAT32, x, some, 0);
        const lanes x_sums = load_some_floats(tile->sums, PHI_FLOAT32, x, some, 0);
        lanes *sum = &sums[i][part];
        *sum = lanes_multiply_add(biases, x_sums, *sum);
        *sum = lanes_multiply_add(
            lanes_multiply(scales, x_scales), vcvtq_f32_s32(dots[i]), *sum);
    }
}

/// The same for four groups from `group` on, or fewer at the end of the row.
TARGET_INLINE void add_four_groups(
    const phi_matrix *matrix, size_t row, size_t group, const tile *tile,
    const code_layout layout, const size_t count, const size_t part,
    lanes sums[TILE][SUM_REGISTERS]) {
    const size_t group_count = matrix->columns / layout.group_size;
    if (group + LANES <= group_count) {
        add_groups(matrix, row, group, tile, layout, LANES, count, part, sums);
    } else if (group < group_count) {
        const size_t some = group_count - group;
        add_groups(matrix, row, group, tile, layout, some, count, part, sums);
    }
}

/// The sum of the eight running sums, in the order of phi_int8_activations.
TARGET_INLINE float sum_of_eight(const lanes sums[SUM_REGISTERS]) {
    const lanes four = lanes_add(sums[0], sums[1]);
    const float32x2_t two = vadd_f32(vget_low_f32(four), vget_high_f32(four));
    return vget_lane_f32(vpadd_f32(two, two), 0);
}

/// See Int8Tiles.h.
TARGET_INLINE void tile_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const code_layout layout,
    const size_t count) {
    const size_t group_count = matrix->columns / layout.group_size;
    for (; row < end; row++) {
        lanes sums[TILE][SUM_REGISTERS];
        for (size_t i = 0; i < count; i++) sums[i][0] = sums[i][1] = lanes_of(0);
        for (size_t group = 0; group < group_count; group += 2 * LANES) {
            add_four_groups(matrix, row, group, tile, layout, count, 0, sums);
            add_four_groups(matrix, row, group + LANES, tile, layout, count, 1, sums);
        }
        for (size_t i = 0; i < count; i++) {
            tile->output[i * tile->output_stride + row] = sum_of_eight(sums[i]);
        }
    }
}

TARGET void MULTIPLY_INT8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride) {
    multiply_tiles(matrix, first_row, end_row, input, output, output_stride);
}
