// Products with activations rounded to int8 with the int8 matrix products of ARMv8.6 (SMMLA): one
// instruction multiplies eight codes of each of two rows of weights with eight of each of two rows
// of activations, twice what a dot product does. For that the rows of a pair are interleaved:
// weights once for all activations of a tile, activations once for all weights of a block. With few
// activations the dot products are used, since interleaving would not pay off.

#if defined(__aarch64__)

#include "Neon.h"

#define TARGET __attribute__((target("+i8mm")))
#define TARGET_INLINE static inline __attribute__((always_inline)) TARGET

enum {
    /// Rows of activations that share an unpacked weight.
    TILE = 32,
    /// Rows of weights that share interleaved activations.
    BLOCK = 32,
    /// Minimum number of rows of activations for interleaving.
    INPUTS_MIN = 4,
    /// Number of groups whose activations are interleaved together, so that a row of weights is
    /// read in whole cache lines.
    GROUPS = 4,
    /// Codes of each row in a register.
    CODES = 8,
    /// Maximum number of registers of a group.
    GROUP_REGISTERS = 128 / CODES,
    /// The running sums of phi_int8_activations.
    SUMS = 8,
};

#include "Int8Layouts.h"

/// A group of two rows of activations. Values of both are stored as: first, second, first, second.
typedef struct {
    lanes scales;
    lanes sums;
    /// The initial value of the sums: 128 times the sums of the activation codes for 8-bit weights,
    /// whose codes are unpacked minus 128; otherwise zero.
    int32x4_t start;
    int8x16_t codes[GROUP_REGISTERS];
} input_pair;

/// The running sums of a block with a tile. A register holds those of one row of weights with the
/// first and second row of activations, then those of the other row of weights.
typedef lanes block_sums[SUMS][BLOCK / 2][TILE / 2];

/// Interleaves the bytes of two rows: eight of the first, eight of the second.
TARGET_INLINE void interleave(const void *one, const void *other, uint8x16_t pair[2]) {
    const uint64x2_t first = vreinterpretq_u64_u8(vld1q_u8(one));
    const uint64x2_t second = vreinterpretq_u64_u8(vld1q_u8(other));
    pair[0] = vreinterpretq_u8_u64(vzip1q_u64(first, second));
    pair[1] = vreinterpretq_u8_u64(vzip2q_u64(first, second));
}

/// The codes of a group of two rows of weights as signed bytes, in the order of the activations;
/// 8-bit codes minus 128.
TARGET_INLINE void unpack_pair(
    const uint8_t *one, const uint8_t *other, const code_layout layout,
    int8x16_t unpacked[GROUP_REGISTERS]) {
    const uint32_t bits = layout.bits;
    const size_t group_size = layout.group_size;
    if (group_size < 4 * CODES) {
        const uint8x16_t both = vcombine_u8(vld1_u8(one), vld1_u8(other));
        unpacked[0] = numbers_of(vandq_u8(both, vdupq_n_u8(15)), layout.type);
        unpacked[1] = numbers_of(vshrq_n_u8(both, 4), layout.type);
        return;
    }
    // A block stores its even codes, then its odd ones: see `quantize`.
    const size_t half = group_size == 32 ? 2 : 4;
    for (size_t i = 0; i < group_size * bits / 64; i += 2) {
        uint8x16_t bytes[2];
        interleave(one + i * CODES, other + i * CODES, bytes);
        for (size_t j = i; j < i + 2; j++) {
            const uint8x16_t both = bytes[j - i];
            if (bits == 8) {
                unpacked[j] = vreinterpretq_s8_u8(veorq_u8(both, vdupq_n_u8(128)));
            } else {
                const size_t even = j / half * 2 * half + j % half;
                unpacked[even] = numbers_of(vandq_u8(both, vdupq_n_u8(15)), layout.type);
                unpacked[even + half] = numbers_of(vshrq_n_u8(both, 4), layout.type);
            }
        }
    }
}

/// Number `one` of an array of `type` twice, and then number `other`.
TARGET_INLINE lanes load_pair_floats(
    const void *array, phi_float_type type, size_t one, size_t other) {
    const uint8_t *bytes = array;
    if (type != PHI_FLOAT16 && type != PHI_BFLOAT16) {
        const float first = phi_load_float(bytes, type, one);
        const float second = phi_load_float(bytes, type, other);
        return vcombine_f32(vdup_n_f32(first), vdup_n_f32(second));
    }
    uint16_t first, second;
    memcpy(&first, bytes + 2 * one, sizeof first);
    memcpy(&second, bytes + 2 * other, sizeof second);
    const uint16x4_t halves = vext_u16(vdup_n_u16(first), vdup_n_u16(second), 2);
    if (type == PHI_FLOAT16) return vcvt_f32_f16(vreinterpret_f16_u16(halves));
    return vreinterpretq_f32_u32(vshll_n_u16(halves, 16));
}

/// The scales and biases of the groups `one` and `other`, in that order.
TARGET_INLINE void load_pair_scales(
    const phi_matrix *matrix, size_t one, size_t other, const phi_code_type type, lanes *scales,
    lanes *biases) {
    *scales = load_pair_floats(matrix->scales, matrix->float_type, one, other);
    if (type == PHI_E2M1_CODES) {
        *scales = lanes_multiply(*scales, lanes_of(0.5f));
        *biases = lanes_multiply(*scales, lanes_of(-PHI_E2M1_OFFSET));
    } else {
        *biases = load_pair_floats(matrix->biases, matrix->bias_type, one, other);
    }
}

/// Interleaves group `group` of a tile's activations.
TARGET_INLINE void load_inputs(
    const tile *tile, size_t group_count, size_t group, const code_layout layout, size_t count,
    input_pair inputs[TILE / 2]) {
    const size_t group_size = layout.group_size;
    for (size_t i = 0; i < count; i += 2) {
        // Beyond the end, repeats the last row; the duplicate sums are ignored.
        const size_t one = i * group_count + group;
        const size_t other = i + 1 < count ? one + group_count : one;
        const int8_t *codes = tile->codes + one * group_size;
        const int8_t *other_codes = tile->codes + other * group_size;
        input_pair *pair = &inputs[i / 2];
        const float32x2_t scales = {tile->scales[one], tile->scales[other]};
        const float32x2_t sums = {tile->sums[one], tile->sums[other]};
        pair->scales = vcombine_f32(scales, scales);
        pair->sums = vcombine_f32(sums, sums);
        int32x4_t half = vdupq_n_s32(0);
        for (size_t j = 0; j < group_size / CODES; j += 2) {
            uint8x16_t bytes[2];
            interleave(codes + j * CODES, other_codes + j * CODES, bytes);
            for (size_t k = 0; k < 2; k++) {
                pair->codes[j + k] = vreinterpretq_s8_u8(bytes[k]);
                if (layout.bits == 8) half = vmmlaq_s32(half, vdupq_n_s8(64), pair->codes[j + k]);
            }
        }
        pair->start = vaddq_s32(half, half);
    }
}

/// Adds group `group` of the rows `one` and `other` of weights to their sums with `count` pairs of
/// rows of activations.
TARGET_INLINE void add_group(
    const phi_matrix *matrix, size_t one, size_t other, size_t group, const input_pair *inputs,
    const code_layout layout, size_t count, lanes sums[TILE / 2]) {
    const size_t group_size = layout.group_size;
    const size_t group_count = matrix->columns / group_size;
    const size_t first = one * group_count + group;
    const size_t second = other * group_count + group;
    const uint8_t *codes = matrix->weights;
    const size_t bytes = group_size * layout.bits / 8;
    int8x16_t weights[GROUP_REGISTERS];
    // The next part of the row: with this many rows the hardware prefetcher may miss it. The
    // address may be beyond the matrix: a prefetch does not read.
    __builtin_prefetch(codes + (first + GROUPS) * bytes);
    __builtin_prefetch(codes + (second + GROUPS) * bytes);
    unpack_pair(codes + first * bytes, codes + second * bytes, layout, weights);
    lanes scales, biases;
    load_pair_scales(matrix, first, second, layout.type, &scales, &biases);
    for (size_t i = 0; i < count; i++) {
        const input_pair *x = &inputs[i];
        int32x4_t dots = x->start;
        for (size_t j = 0; j < group_size / CODES; j++) {
            dots = vmmlaq_s32(dots, weights[j], x->codes[j]);
        }
        sums[i] = lanes_multiply_add(biases, x->sums, sums[i]);
        sums[i] = lanes_multiply_add(
            lanes_multiply(scales, x->scales), vcvtq_f32_s32(dots), sums[i]);
    }
}

/// Writes the sums of the eight running sums, added in the order of phi_int8_activations.
TARGET_INLINE void store_sums(
    size_t row, size_t end, const tile *tile, size_t count, const block_sums sums) {
    for (size_t r = 0; r < end - row; r += 2) {
        for (size_t i = 0; i < count; i += 2) {
            lanes fours[SUMS / 2];
            for (size_t j = 0; j < SUMS / 2; j++) {
                fours[j] = lanes_add(sums[j][r / 2][i / 2], sums[j + SUMS / 2][r / 2][i / 2]);
            }
            float results[LANES];
            lanes_store(
                results,
                lanes_add(lanes_add(fours[0], fours[2]), lanes_add(fours[1], fours[3])));
            for (size_t j = 0; j < LANES; j++) {
                const size_t result_row = row + r + j / 2;
                const size_t input = i + j % 2;
                if (result_row >= end || input >= count) continue;
                tile->output[input * tile->output_stride + result_row] = results[j];
            }
        }
    }
}

/// See Int8Layouts.h.
TARGET_INLINE void layout_rows(
    const phi_matrix *matrix, size_t row, size_t end, const tile *tile, const code_layout layout,
    size_t count) {
    const size_t group_count = matrix->columns / layout.group_size;
    const size_t pair_count = (count + 1) / 2;
    block_sums sums;
    for (size_t i = 0; i < SUMS * BLOCK / 2; i++) {
        memset(sums[i % SUMS][i / SUMS], 0, pair_count * sizeof(lanes));
    }
    for (size_t first = 0; first < group_count; first += GROUPS) {
        const size_t last = group_count - first < GROUPS ? group_count : first + GROUPS;
        input_pair inputs[GROUPS][TILE / 2];
        for (size_t group = first; group < last; group++) {
            load_inputs(tile, group_count, group, layout, count, inputs[group - first]);
        }
        for (size_t one = row; one < end; one += 2) {
            const size_t other = one + 1 < end ? one + 1 : one;
            for (size_t group = first; group < last; group++) {
                add_group(
                    matrix, one, other, group, inputs[group - first], layout, pair_count,
                    sums[group % SUMS][(one - row) / 2]);
            }
        }
    }
    store_sums(row, end, tile, count, sums);
}

void phi_i8mm_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride) {
    if (input->count < INPUTS_MIN) {
        phi_dotprod_multiply_int8(matrix, first_row, end_row, input, output, output_stride);
    } else {
        multiply_tiles(matrix, first_row, end_row, input, output, output_stride);
    }
}

#endif
