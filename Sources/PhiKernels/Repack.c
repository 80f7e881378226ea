// Blocks of quantized weights of GGUF files, written in the layout that products read. ggml's layouts
// are defined by dequantize_row_* in
// https://github.com/ggml-org/ggml/blob/master/src/ggml-quants.c.

#include <math.h>

#include "FloatTypes.h"

#include "include/PhiKernels.h"

enum {
    /// Weights that are unpacked together: a group, or two of Q6_K.
    UNPACKED = 32,
    /// Weights of a block of a K type.
    LARGE_BLOCK = 256,
};

/// 32 weights: scale * code + bias, with the second scale and bias for the second half.
typedef struct {
    uint8_t codes[UNPACKED];
    float scales[2];
    float biases[2];
} unpacked;

static float half_at(const uint8_t *bytes) { return phi_load_float(bytes, PHI_FLOAT16, 0); }

static void set_scale(unpacked *group, float scale, float bias) {
    group->scales[0] = group->scales[1] = scale;
    group->biases[0] = group->biases[1] = bias;
}

/// 32 codes of 4 bits: the low halves of 16 bytes, then the high ones.
static void unpack_halves(const uint8_t *bytes, uint8_t *codes) {
    for (int i = 0; i < UNPACKED / 2; i++) {
        codes[i] = bytes[i] & 15;
        codes[i + UNPACKED / 2] = bytes[i] >> 4;
    }
}

/// Adds the fifth bit of 32 codes: bit i of `bytes` is that of code i.
static void add_fifth_bits(const uint8_t *bytes, uint8_t *codes) {
    for (int i = 0; i < UNPACKED; i++) codes[i] |= (bytes[i / 8] >> i % 8 & 1) << 4;
}

/// Blocks of 32 weights: a scale, a minimum in some types, and the codes.
static void unpack_small(phi_block_type type, const uint8_t *block, unpacked *group) {
    const float scale = half_at(block);
    switch (type) {
        case PHI_Q4_0:
            unpack_halves(block + 2, group->codes);
            set_scale(group, scale, -8 * scale);
            break;
        case PHI_Q4_1:
            unpack_halves(block + 4, group->codes);
            set_scale(group, scale, half_at(block + 2));
            break;
        case PHI_Q5_0:
            unpack_halves(block + 6, group->codes);
            add_fifth_bits(block + 2, group->codes);
            set_scale(group, scale, -16 * scale);
            break;
        case PHI_Q5_1:
            unpack_halves(block + 8, group->codes);
            add_fifth_bits(block + 4, group->codes);
            set_scale(group, scale, half_at(block + 2));
            break;
        default:
            // Codes are signed; with the highest bit inverted they begin at zero.
            for (int i = 0; i < UNPACKED; i++) group->codes[i] = block[2 + i] ^ 0x80;
            set_scale(group, scale, -128 * scale);
            break;
    }
}

/// Scale and minimum of group `index` of a Q4_K or Q5_K block, of 6 bits each in 12 bytes.
static void set_large_scale(const uint8_t *block, int index, unpacked *group) {
    const uint8_t *bytes = block + 4;
    int scale, minimum;
    if (index < 4) {
        scale = bytes[index] & 63;
        minimum = bytes[index + 4] & 63;
    } else {
        scale = (bytes[index + 4] & 15) | bytes[index - 4] >> 6 << 4;
        minimum = bytes[index + 4] >> 4 | bytes[index] >> 6 << 4;
    }
    set_scale(group, half_at(block) * (float)scale, -half_at(block + 2) * (float)minimum);
}

/// Group `index` of a Q4_K block: two groups share 32 bytes.
static void unpack_q4_k(const uint8_t *block, int index, unpacked *group) {
    const uint8_t *bytes = block + 16 + index / 2 * UNPACKED;
    for (int i = 0; i < UNPACKED; i++) group->codes[i] = bytes[i] >> index % 2 * 4 & 15;
    set_large_scale(block, index, group);
}

/// Group `index` of a Q5_K block: bit `index` of 32 bytes is the fifth bit.
static void unpack_q5_k(const uint8_t *block, int index, unpacked *group) {
    const uint8_t *bytes = block + 48 + index / 2 * UNPACKED;
    for (int i = 0; i < UNPACKED; i++) {
        const int fifth = block[16 + i] >> index & 1;
        group->codes[i] = (uint8_t)((bytes[i] >> index % 2 * 4 & 15) | fifth << 4);
    }
    set_large_scale(block, index, group);
}

/// Groups 2 * index and 2 * index + 1 of a Q6_K block. Each half of the block has 64 bytes with the
/// lower four bits, 32 with the upper two, and eight scales; the block's scale is at its end.
static void unpack_q6_k(const uint8_t *block, int index, unpacked *group) {
    const int quarter = index % 4;
    const uint8_t *low = block + index / 4 * 64 + quarter % 2 * UNPACKED;
    const uint8_t *high = block + 128 + index / 4 * UNPACKED;
    for (int i = 0; i < UNPACKED; i++) {
        const int lower = low[i] >> quarter / 2 * 4 & 15;
        group->codes[i] = (uint8_t)(lower | (high[i] >> 2 * quarter & 3) << 4);
    }
    for (int half = 0; half < 2; half++) {
        group->scales[half] =
            half_at(block + 208) * (float)(int8_t)block[192 + 2 * index + half];
        group->biases[half] = -32 * group->scales[half];
    }
}

/// The size of a block in bytes, and its weights.
static size_t block_size(phi_block_type type) {
    switch (type) {
        case PHI_Q4_0: return 18;
        case PHI_Q4_1: return 20;
        case PHI_Q5_0: return 22;
        case PHI_Q5_1: return 24;
        case PHI_Q8_0: return 34;
        case PHI_Q4_K: return 144;
        case PHI_Q5_K: return 176;
        default: return 210;
    }
}

static size_t block_weights(phi_block_type type) {
    return type < PHI_Q4_K ? UNPACKED : LARGE_BLOCK;
}

/// The 32 weights from 32 * `index` on, counted through all rows.
static void unpack(phi_block_type type, const uint8_t *blocks, size_t index, unpacked *group) {
    const size_t groups = block_weights(type) / UNPACKED;
    const uint8_t *block = blocks + index / groups * block_size(type);
    const int inside = (int)(index % groups);
    switch (type) {
        case PHI_Q4_K: unpack_q4_k(block, inside, group); break;
        case PHI_Q5_K: unpack_q5_k(block, inside, group); break;
        case PHI_Q6_K: unpack_q6_k(block, inside, group); break;
        default: unpack_small(type, block, group); break;
    }
}

static void store_float(void *numbers, phi_float_type type, size_t index, float value) {
    if (type == PHI_FLOAT32) {
        memcpy((char *)numbers + 4 * index, &value, sizeof value);
    } else {
        const uint16_t bits = phi_float16_from_float(value);
        memcpy((char *)numbers + 2 * index, &bits, sizeof bits);
    }
}

/// Rounds both groups to one of 8 bits.
static void round_to_bytes(unpacked *group) {
    float values[UNPACKED];
    float least = INFINITY, largest = -INFINITY;
    for (int i = 0; i < UNPACKED; i++) {
        const int half = i / (UNPACKED / 2);
        values[i] = group->scales[half] * group->codes[i] + group->biases[half];
        least = fminf(least, values[i]);
        largest = fmaxf(largest, values[i]);
    }
    // The codes are those for the numbers that are stored.
    uint16_t stored[2] = {
        phi_float16_from_float((largest - least) / 255), phi_float16_from_float(least)};
    const float scale = phi_load_float(stored, PHI_FLOAT16, 0);
    const float bias = phi_load_float(stored, PHI_FLOAT16, 1);
    set_scale(group, scale, bias);
    for (int i = 0; i < UNPACKED; i++) {
        const float code = scale > 0 ? rintf((values[i] - bias) / scale) : 0;
        // A comparison with NaN is false.
        group->codes[i] = code >= 255 ? 255 : code > 0 ? (uint8_t)code : 0;
    }
}

/// Writes codes as a bit stream, lowest bits first.
static void store_codes(const uint8_t *codes, uint32_t bits, uint8_t *bytes) {
    uint32_t waiting = 0;
    uint32_t count = 0;
    for (int i = 0; i < UNPACKED; i++) {
        waiting |= (uint32_t)codes[i] << count;
        for (count += bits; count >= 8; count -= 8, waiting >>= 8) *bytes++ = (uint8_t)waiting;
    }
}

phi_matrix phi_repacked(phi_block_type type, size_t rows, size_t columns, int exact) {
    phi_matrix matrix = {
        .rows = rows,
        .columns = columns,
        .float_type = PHI_FLOAT16,
        .bits = 8,
        .group_size = UNPACKED,
    };
    if (type == PHI_Q4_0 || type == PHI_Q4_1 || type == PHI_Q4_K) matrix.bits = 4;
    if (exact && type >= PHI_Q4_K) matrix.float_type = PHI_FLOAT32;
    if (exact && type == PHI_Q6_K) {
        matrix.bits = 6;
        matrix.group_size = UNPACKED / 2;
    }
    matrix.bias_type = matrix.float_type;
    return matrix;
}

void phi_repack(const phi_repacking *repacking, size_t first_row, size_t end_row) {
    const phi_matrix *target = &repacking->target;
    // The memory is ours to write until the matrix is used.
    uint8_t *codes = (uint8_t *)target->weights;
    const size_t row_groups = target->columns / UNPACKED;
    const size_t scale_count = UNPACKED / target->group_size;
    for (size_t index = first_row * row_groups; index < end_row * row_groups; index++) {
        unpacked group;
        unpack(repacking->type, repacking->blocks, index, &group);
        if (repacking->type == PHI_Q6_K && target->bits == 8) round_to_bytes(&group);
        store_codes(group.codes, target->bits, codes + index * UNPACKED * target->bits / 8);
        for (size_t i = 0; i < scale_count; i++) {
            const size_t place = index * scale_count + i;
            store_float((void *)target->scales, target->float_type, place, group.scales[i]);
            store_float((void *)target->biases, target->bias_type, place, group.biases[i]);
        }
    }
}
