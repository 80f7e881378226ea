// Products with activations rounded to int8 with Intel's Advanced Matrix Extensions (Intel 64 and
// IA-32 Architectures Software Developer's Manual, volume 1, chapter 18): one instruction
// multiplies 64 codes of each of sixteen rows of weights with those of sixteen rows of activations.
// The sums of a group are integers; scales and biases are applied in registers that each hold
// sixteen rows of activations.
//
// Calls with few rows of activations, and the last rows of a matrix if their number is not a
// multiple of sixteen, use AVX-512's dot products.

#if defined(__x86_64__)

#include "Avx2Codes.h"

#define TARGET                                                                                    \
    __attribute__((target(                                                                        \
        "avx2,fma,f16c,avx512f,avx512bw,avx512vl,avx512vnni,amx-tile,amx-int8")))
#define TARGET_INLINE static inline __attribute__((always_inline)) TARGET

#include "Lanes.h"

enum {
    /// Rows of weights, and rows of activations, in a tile.
    SIDE = PHI_PANEL_ROWS_MAX,
    /// Maximum number of codes of a row in a tile.
    TILE_CODES = 64,
    /// The running sums of phi_int8_activations.
    SUMS = 8,
    /// Maximum number of rows of activations that share unpacked weights, and their panels.
    INPUTS_MAX = 128,
    PANELS = INPUTS_MAX / SIDE,
    /// Number of panels whose sums fit into the first-level cache together.
    NEAR_PANELS = 2,
    /// Columns of weights that are unpacked at a time.
    STEP = 4096,
    GROUPS_MAX = STEP / 16,
};

/// The use of each tile.
enum { DOTS, WEIGHTS, WEIGHTS_REST, INPUTS, TILES };

/// Some groups of sixteen rows of weights.
typedef struct {
    /// [rows, codes], unused for weights of 8 bits. Rows are padded by a cache line, so that they
    /// do not map to the same few cache sets.
    _Alignas(CACHE_LINE) uint8_t codes[SIDE][STEP + CACHE_LINE];
    /// [rows, groups]
    float scales[SIDE][GROUPS_MAX];
    float biases[SIDE][GROUPS_MAX];
} weight_rows;

/// The running sums of sixteen rows of weights: one register of rows of activations for each.
typedef __m512 running_sums[SUMS][SIDE];

/// The sums of products of a group's codes: [rows of weights, rows of activations].
typedef struct {
    _Alignas(CACHE_LINE) int32_t numbers[SIDE][SIDE];
} group_dots;

/// The shape of tiles, as `ldtilecfg` reads it.
typedef struct {
    uint8_t palette;
    uint8_t start_row;
    uint8_t reserved[14];
    uint16_t bytes_in_row[16];
    uint8_t rows[16];
} tile_shapes;

/// Configures the tiles for groups of a size.
TARGET static void begin_tiles(size_t group_size) {
    const size_t codes = group_size < TILE_CODES ? group_size : TILE_CODES;
    tile_shapes shapes = {.palette = 1};
    for (int i = 0; i < TILES; i++) {
        shapes.bytes_in_row[i] = 4 * SIDE;
        shapes.rows[i] = SIDE;
    }
    shapes.bytes_in_row[WEIGHTS] = (uint16_t)codes;
    shapes.rows[INPUTS] = (uint8_t)(codes / 4);
    _tile_loadconfig(&shapes);
}

/// Transposes sixteen registers of sixteen numbers.
TARGET_INLINE void transpose(__m512i rows[SIDE]) {
    __m512i pairs[SIDE];
    for (int i = 0; i < SIDE; i += 2) {
        pairs[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
    }
    __m512i fours[SIDE];
    for (int i = 0; i < SIDE; i += 4) {
        fours[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
        fours[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
        fours[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
        fours[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        const __m512i even = _mm512_shuffle_i32x4(fours[i], fours[i + 4], 0x88);
        const __m512i odd = _mm512_shuffle_i32x4(fours[i], fours[i + 4], 0xDD);
        const __m512i even_rest = _mm512_shuffle_i32x4(fours[i + 8], fours[i + 12], 0x88);
        const __m512i odd_rest = _mm512_shuffle_i32x4(fours[i + 8], fours[i + 12], 0xDD);
        rows[i] = _mm512_shuffle_i32x4(even, even_rest, 0x88);
        rows[i + 4] = _mm512_shuffle_i32x4(odd, odd_rest, 0x88);
        rows[i + 8] = _mm512_shuffle_i32x4(even, even_rest, 0xDD);
        rows[i + 12] = _mm512_shuffle_i32x4(odd, odd_rest, 0xDD);
    }
}

TARGET void phi_amx_pack(
    const phi_matrix *matrix, const phi_int8_activations *input, size_t first) {
    const size_t size = matrix->group_size;
    const size_t group_count = matrix->columns / size;
    uint8_t *panel = input->packed + phi_packed_size(matrix, SIDE, first);
    for (size_t group = 0; group < group_count; group++) {
        uint8_t *packed = panel + group * phi_packed_group_size(SIDE, size);
        for (size_t column = 0; column < size; column += TILE_CODES) {
            const size_t fours = size - column < TILE_CODES ? size / 4 : SIDE;
            const __mmask16 mask = (__mmask16)((1u << fours) - 1);
            __m512i rows[SIDE];
            for (size_t i = 0; i < SIDE; i++) {
                // Beyond the end, repeats the last row; the duplicate sums are ignored.
                const size_t row = first + i < input->count ? first + i : input->count - 1;
                rows[i] = _mm512_maskz_loadu_epi32(
                    mask, input->codes + row * matrix->columns + group * size + column);
            }
            transpose(rows);
            for (size_t i = 0; i < fours; i++) {
                _mm512_store_si512(packed + (column + 4 * i) * SIDE, rows[i]);
            }
        }
        float *scales = (float *)(packed + SIDE * size);
        for (size_t i = 0; i < SIDE; i++) {
            const size_t row = first + i < input->count ? first + i : input->count - 1;
            scales[i] = input->scales[row * group_count + group];
            scales[SIDE + i] = input->sums[row * group_count + group];
        }
    }
}

/// The scales and biases of `count` groups from `first` on.
TARGET_INLINE void load_all_scales(
    const phi_matrix *matrix, size_t first, size_t count, float *scales, float *biases) {
    for (size_t i = 0; i < count; i += LANES) {
        const size_t some = count - i < LANES ? count - i : LANES;
        __m256 scale, bias;
        load_scales(matrix, first + i, some, matrix->code_type, &scale, &bias);
        _mm256_storeu_ps(scales + i, scale);
        _mm256_storeu_ps(biases + i, bias);
    }
}

/// Unpacks `some` groups from `group` on of the sixteen rows of weights from `row` on.
TARGET static void load_weights(
    const phi_matrix *matrix, size_t row, size_t group, size_t some, weight_rows *weights) {
    const code_layout layout = {matrix->bits, matrix->code_type, matrix->group_size};
    const size_t size = layout.group_size;
    for (size_t i = 0; i < SIDE; i++) {
        const size_t first = (row + i) * (matrix->columns / size) + group;
        const size_t bytes = size * matrix->bits / 8;
        const uint8_t *codes = (const uint8_t *)matrix->weights + first * bytes;
        // The address may be beyond the matrix: a prefetch does not read.
        for (size_t ahead = 0; ahead < some * bytes; ahead += CACHE_LINE) {
            _mm_prefetch((const char *)codes + AHEAD + ahead, _MM_HINT_T1);
        }
        if (layout.bits == 4) {
            unpack_groups(codes, layout, some, (__m256i *)weights->codes[i]);
        }
        load_all_scales(matrix, first, some, weights->scales[i], weights->biases[i]);
    }
}

/// The dot products of a group of sixteen rows of weights, `stride` bytes apart, with those of some
/// panels, `panel_size` bytes apart.
TARGET_INLINE void multiply_group(
    const uint8_t *weights, size_t stride, const uint8_t *inputs, size_t panel_size,
    size_t panel_count, const size_t size, group_dots dots[NEAR_PANELS]) {
    _tile_loadd(WEIGHTS, weights, stride);
    if (size > TILE_CODES) _tile_loadd(WEIGHTS_REST, weights + TILE_CODES, stride);
    for (size_t i = 0; i < panel_count; i++) {
        const uint8_t *codes = inputs + i * panel_size;
        _tile_zero(DOTS);
        _tile_loadd(INPUTS, codes, 4 * SIDE);
        _tile_dpbusd(DOTS, WEIGHTS, INPUTS);
        if (size > TILE_CODES) {
            _tile_loadd(INPUTS, codes + TILE_CODES * SIDE, 4 * SIDE);
            _tile_dpbusd(DOTS, WEIGHTS_REST, INPUTS);
        }
        _tile_stored(DOTS, dots[i].numbers, sizeof dots[i].numbers[0]);
    }
}

/// Adds a group's dot products to the running sums that it belongs to.
TARGET_INLINE void add_group(
    const weight_rows *weights, size_t index, const float *x_scales, const group_dots *dots,
    __m512 sums[SIDE]) {
    const __m512 x_scale = _mm512_load_ps(x_scales);
    const __m512 x_sum = _mm512_load_ps(x_scales + SIDE);
    for (size_t i = 0; i < SIDE; i++) {
        const __m512 bias = _mm512_set1_ps(weights->biases[i][index]);
        const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(weights->scales[i][index]), x_scale);
        const __m512 dot = _mm512_cvtepi32_ps(_mm512_load_si512(dots->numbers[i]));
        sums[i] = _mm512_fmadd_ps(scale, dot, _mm512_fmadd_ps(bias, x_sum, sums[i]));
    }
}

/// Adds `some` groups of sixteen rows of weights, whose codes are `stride` bytes apart, to their sums
/// with some panels, from the same group on.
TARGET_INLINE void add_groups(
    const weight_rows *weights, const uint8_t *codes, size_t stride, const uint8_t *inputs,
    size_t panel_size, size_t panel_count, size_t some, const size_t size,
    running_sums sums[NEAR_PANELS]) {
    const size_t packed_size = phi_packed_group_size(SIDE, size);
    // While the sums of one group are added, the tiles compute the dot products of the next one.
    group_dots dots[2][NEAR_PANELS];
    multiply_group(codes, stride, inputs, panel_size, panel_count, size, dots[0]);
    for (size_t index = 0; index < some; index++) {
        const size_t next = index + 1;
        if (next < some) {
            multiply_group(
                codes + next * size, stride, inputs + next * packed_size, panel_size,
                panel_count, size, dots[next % 2]);
        }
        const uint8_t *scales = inputs + index * packed_size + SIDE * size;
        for (size_t i = 0; i < panel_count; i++) {
            add_group(
                weights, index, (const float *)(scales + i * panel_size), &dots[index % 2][i],
                sums[i][index % SUMS]);
        }
    }
}

/// Writes the results of sixteen rows of weights with at most sixteen rows of activations.
TARGET static void store_sums(
    running_sums sums, float *output, size_t output_stride, size_t count) {
    __m512i whole[SIDE];
    for (size_t i = 0; i < SIDE; i++) {
        __m512 fours[SUMS / 2];
        for (size_t j = 0; j < SUMS / 2; j++) {
            fours[j] = _mm512_add_ps(sums[j][i], sums[j + SUMS / 2][i]);
        }
        whole[i] = _mm512_castps_si512(_mm512_add_ps(
            _mm512_add_ps(fours[0], fours[2]), _mm512_add_ps(fours[1], fours[3])));
    }
    transpose(whole);
    for (size_t i = 0; i < count; i++) {
        _mm512_storeu_ps(output + i * output_stride, _mm512_castsi512_ps(whole[i]));
    }
}

/// Sixteen rows of weights with the rows of activations from `first` on, INPUTS_MAX of them at most.
TARGET_INLINE void multiply_rows(
    const phi_matrix *matrix, size_t row, const phi_int8_activations *input, size_t first,
    float *output, size_t output_stride, const size_t size) {
    const size_t group_count = matrix->columns / size;
    const size_t left = input->count - first;
    const size_t count = left < INPUTS_MAX ? left : INPUTS_MAX;
    const size_t panel_count = (count + SIDE - 1) / SIDE;
    const size_t panel_size = phi_packed_size(matrix, SIDE, SIDE);
    const uint8_t *panels = input->packed + first / SIDE * panel_size;
    running_sums sums[PANELS];
    memset(sums, 0, panel_count * sizeof sums[0]);
    for (size_t group = 0; group < group_count; group += STEP / size) {
        const size_t rest = group_count - group;
        const size_t some = rest < STEP / size ? rest : STEP / size;
        weight_rows weights;
        load_weights(matrix, row, group, some, &weights);
        const uint8_t *codes = weights.codes[0];
        size_t stride = sizeof weights.codes[0];
        if (matrix->bits == 8) {
            stride = matrix->columns;
            codes = (const uint8_t *)matrix->weights + row * stride + group * size;
        }
        const uint8_t *inputs = panels + group * phi_packed_group_size(SIDE, size);
        for (size_t i = 0; i < panel_count; i += NEAR_PANELS) {
            const size_t near =
                panel_count - i < NEAR_PANELS ? panel_count - i : NEAR_PANELS;
            add_groups(
                &weights, codes, stride, inputs + i * panel_size, panel_size, near, some, size,
                &sums[i]);
        }
    }
    for (size_t i = 0; i < count; i += SIDE) {
        store_sums(
            sums[i / SIDE], output + (first + i) * output_stride + row, output_stride,
            count - i < SIDE ? count - i : SIDE);
    }
}

/// See `multiply_rows`. The group size becomes a constant.
TARGET static void multiply_sized_rows(
    const phi_matrix *matrix, size_t row, const phi_int8_activations *input, size_t first,
    float *output, size_t output_stride) {
    switch (matrix->group_size) {
        case 16: multiply_rows(matrix, row, input, first, output, output_stride, 16); break;
        case 32: multiply_rows(matrix, row, input, first, output, output_stride, 32); break;
        case 64: multiply_rows(matrix, row, input, first, output, output_stride, 64); break;
        default: multiply_rows(matrix, row, input, first, output, output_stride, 128); break;
    }
}

/// The rows first_row <= r < end_row, for calls with so few rows of activations that they are not
/// packed.
static void multiply_unpacked(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride) {
    const size_t group_count = matrix->columns / matrix->group_size;
    const size_t count_max = PACKED_COUNT_MIN - 1;
    for (size_t first = 0; first < input->count; first += count_max) {
        const size_t left = input->count - first;
        const phi_int8_activations some = {
            .codes = input->codes + first * matrix->columns,
            .scales = input->scales + first * group_count,
            .sums = input->sums + first * group_count,
            .count = left < count_max ? left : count_max,
        };
        phi_avx512vnni_multiply_int8(
            matrix, first_row, end_row, &some, output + first * output_stride, output_stride);
    }
}

TARGET void phi_amx_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride) {
    size_t row = first_row;
    if (input->count >= PACKED_COUNT_MIN && row + SIDE <= end_row) {
        begin_tiles(matrix->group_size);
        for (; row + SIDE <= end_row; row += SIDE) {
            for (size_t first = 0; first < input->count; first += INPUTS_MAX) {
                multiply_sized_rows(matrix, row, input, first, output, output_stride);
            }
        }
        // Otherwise each context switch would save and restore the tiles.
        _tile_release();
    }
    if (row < end_row) {
        multiply_unpacked(matrix, row, end_row, input, output, output_stride);
    }
}

#endif
