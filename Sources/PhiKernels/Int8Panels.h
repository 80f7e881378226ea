// Products of rows of weights with several rows of activations rounded to int8; included after
// Int8Rows.h. The codes of eight rows of activations, a panel, are packed once for all rows of
// weights: four codes of a row, then four of the next one. Four broadcast codes of weights are
// multiplied with all eight rows, and a group's sums are one lane for each row of activations, so
// no sum over lanes is needed.
//
// A file that includes this first defines PACK_INT8, CODE_BITS_MAX, the widest weight codes whose
// intermediate products do not overflow, and
//
//     TARGET_INLINE void dot_panel(const uint8_t *const weights[PANEL_ROWS], const __m256i *x,
//                                  size_t count, const phi_code_type type,
//                                  __m256i dots[PANEL_ROWS])
//
// for PANEL_ROWS rows of weights: dots[i] = the sums over `count` times four codes of row i with
// those of each of the panel's rows, [count] registers of activations. Wider weight codes than
// CODE_BITS_MAX are multiplied as low and high halves, one after the other.

enum {
    /// Maximum number of rows of activations that share unpacked weights.
    PANEL_INPUTS = 64,
    PANELS = PANEL_INPUTS / LANES,
    REST_MAX = 3,
    /// The number of parts of an 8-bit code.
    CODE_PARTS_MAX = 8 / CODE_BITS_MAX,
};

/// At most eight groups of some rows of weights.
typedef struct {
    /// [parts, rows, groups, codes of a group], the lowest parts first
    __m256i codes[CODE_PARTS_MAX][PANEL_ROWS][LANES * GROUP_REGISTERS];
    /// [rows, groups]
    float scales[PANEL_ROWS][LANES];
    float biases[PANEL_ROWS][LANES];
} weight_rows;

/// At most eight groups of the next rows of weights, to prefetch. The addresses may be beyond the
/// matrix: a prefetch does not read.
typedef struct {
    const uint8_t *codes;
    size_t row_bytes;
    /// Of eight groups.
    size_t bytes;
} next_rows;

/// The running sums of some rows of weights: one register of rows of activations for each.
typedef __m256 panel_sums[PANEL_ROWS][LANES];

/// Transposes eight registers of eight numbers.
TARGET_INLINE void transpose(__m256i rows[LANES]) {
    __m256i pairs[LANES];
    for (int i = 0; i < LANES; i += 2) {
        pairs[i] = _mm256_unpacklo_epi32(rows[i], rows[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_epi32(rows[i], rows[i + 1]);
    }
    __m256i fours[LANES];
    for (int i = 0; i < LANES; i += 4) {
        fours[i] = _mm256_unpacklo_epi64(pairs[i], pairs[i + 2]);
        fours[i + 1] = _mm256_unpackhi_epi64(pairs[i], pairs[i + 2]);
        fours[i + 2] = _mm256_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
        fours[i + 3] = _mm256_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
    }
    for (int i = 0; i < 4; i++) {
        rows[i] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x20);
        rows[i + 4] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x31);
    }
}

TARGET void PACK_INT8(
    const phi_matrix *matrix, const phi_int8_activations *input, size_t first) {
    const size_t size = matrix->group_size;
    const size_t group_count = matrix->columns / size;
    uint8_t *packed = input->packed + phi_packed_size(matrix, LANES, first);
    for (size_t group = 0; group < group_count; group++) {
        // Beyond the end, repeats the last row; the duplicate sums are ignored.
        size_t places[LANES];
        for (size_t i = 0; i < LANES; i++) {
            const size_t row = first + i < input->count ? first + i : input->count - 1;
            places[i] = row * group_count + group;
        }
        for (size_t column = 0; column < size; column += CODES) {
            const size_t some = size < CODES ? size : CODES;
            __m256i rows[LANES];
            for (size_t i = 0; i < LANES; i++) {
                const int8_t *codes = input->codes + places[i] * size + column;
                rows[i] = some < CODES
                    ? _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)codes))
                    : _mm256_loadu_si256((const __m256i *)codes);
            }
            transpose(rows);
            for (size_t i = 0; i < some / 4; i++) {
                _mm256_store_si256((__m256i *)(packed + LANES * column) + i, rows[i]);
            }
        }
        float *scales = (float *)(packed + LANES * size);
        for (size_t i = 0; i < LANES; i++) {
            scales[i] = input->scales[places[i]];
            scales[LANES + i] = input->sums[places[i]];
        }
        packed += phi_packed_group_size(LANES, size);
    }
}

/// Splits `count` 8-bit codes, in `low`, into halves.
TARGET_INLINE void halve_codes(const size_t count, __m256i *low, __m256i *high) {
    const __m256i mask = _mm256_set1_epi8(15);
    for (size_t i = 0; i < count / CODES; i++) {
        high[i] = _mm256_and_si256(_mm256_srli_epi16(low[i], 4), mask);
        low[i] = _mm256_and_si256(low[i], mask);
    }
}

/// Unpacks `some` groups of PANEL_ROWS rows of weights, from `group` on.
TARGET_INLINE void load_weights(
    const phi_matrix *matrix, size_t row, size_t group, const code_layout layout,
    const size_t some, weight_rows *weights) {
    const size_t size = layout.group_size;
    const size_t group_count = matrix->columns / size;
    for (size_t i = 0; i < PANEL_ROWS; i++) {
        const size_t first = (row + i) * group_count + group;
        __m256i *codes = weights->codes[0][i];
        unpack_groups(
            (const uint8_t *)matrix->weights + first * size * layout.bits / 8, layout, some, codes);
        if (layout.bits > CODE_BITS_MAX) {
            halve_codes(some * size, codes, weights->codes[CODE_PARTS_MAX - 1][i]);
        }
        __m256 scales, biases;
        load_scales(matrix, first, some, layout.type, &scales, &biases);
        _mm256_storeu_ps(weights->scales[i], scales);
        _mm256_storeu_ps(weights->biases[i], biases);
    }
}

/// The dot products of group `index` of PANEL_ROWS rows of weights with those of a panel's rows.
TARGET_INLINE void dot_group(
    const weight_rows *weights, size_t index, const uint8_t *panel, const code_layout layout,
    __m256i dots[PANEL_ROWS]) {
    const size_t size = layout.group_size;
    const uint8_t *codes[PANEL_ROWS];
    for (size_t i = 0; i < PANEL_ROWS; i++) {
        codes[i] = (const uint8_t *)weights->codes[0][i] + index * size;
    }
    dot_panel(codes, (const __m256i *)panel, size / 4, layout.type, dots);
    if (layout.bits <= CODE_BITS_MAX) return;
    for (size_t i = 0; i < PANEL_ROWS; i++) {
        codes[i] = (const uint8_t *)weights->codes[CODE_PARTS_MAX - 1][i] + index * size;
    }
    __m256i high[PANEL_ROWS];
    dot_panel(codes, (const __m256i *)panel, size / 4, layout.type, high);
    for (size_t i = 0; i < PANEL_ROWS; i++) {
        dots[i] = _mm256_add_epi32(dots[i], _mm256_slli_epi32(high[i], 4));
    }
}

/// Prefetches one of the next rows.
TARGET_INLINE void fetch_row(const next_rows *next, size_t index) {
    for (size_t i = 0; i < next->bytes; i += CACHE_LINE) {
        _mm_prefetch((const char *)next->codes + index * next->row_bytes + i, _MM_HINT_T0);
    }
}

/// Adds `some` groups of PANEL_ROWS rows of weights, at most eight, to their sums with a panel,
/// from the same group on. If there is `next`, prefetches one row of it with each group: all at
/// once would need more outstanding cache lines than a core supports.
TARGET_INLINE void add_panel(
    const weight_rows *weights, const uint8_t *panel, const code_layout layout,
    const size_t some, const next_rows *next, panel_sums sums) {
    const size_t size = layout.group_size;
    for (size_t index = 0; index < some; index++) {
        if (next) fetch_row(next, index);
        __m256i dots[PANEL_ROWS];
        dot_group(weights, index, panel, layout, dots);
        const float *scales = (const float *)(panel + LANES * size);
        const __m256 x_scale = _mm256_load_ps(scales);
        const __m256 x_sum = _mm256_load_ps(scales + LANES);
        for (size_t i = 0; i < PANEL_ROWS; i++) {
            const __m256 bias = _mm256_broadcast_ss(&weights->biases[i][index]);
            const __m256 scale =
                _mm256_mul_ps(_mm256_broadcast_ss(&weights->scales[i][index]), x_scale);
            const __m256 sum = _mm256_fmadd_ps(bias, x_sum, sums[i][index]);
            sums[i][index] = _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(dots[i]), sum);
        }
        panel += phi_packed_group_size(LANES, size);
    }
}

/// Writes the transpose of eight rows of eight numbers, the first `count` of its rows.
TARGET_INLINE void store_rows(
    __m256i rows[LANES], float *output, size_t output_stride, size_t count) {
    transpose(rows);
    for (size_t i = 0; i < count; i++) {
        _mm256_storeu_ps(output + i * output_stride, _mm256_castsi256_ps(rows[i]));
    }
}

/// Writes the results of a panel with eight rows of weights.
TARGET_INLINE void store_panel(
    panel_sums sums, float *output, size_t output_stride, size_t count) {
    __m256i whole[LANES];
    for (size_t i = 0; i < LANES; i++) {
        const __m256 *s = sums[i];
        const __m256 even = _mm256_add_ps(_mm256_add_ps(s[0], s[4]), _mm256_add_ps(s[2], s[6]));
        const __m256 odd = _mm256_add_ps(_mm256_add_ps(s[1], s[5]), _mm256_add_ps(s[3], s[7]));
        whole[i] = _mm256_castps_si256(_mm256_add_ps(even, odd));
    }
    store_rows(whole, output, output_stride, count);
}

#ifdef PANEL_PAIRS
#include "Int8PanelPairs.h"
#endif

/// Adds `some` groups from `group` on of PANEL_ROWS rows of weights, at most eight, to their sums with
/// `panel_count` panels, `panel_size` bytes apart.
TARGET_INLINE void add_groups_to_panels(
    const phi_matrix *matrix, size_t row, size_t group, const uint8_t *panels, size_t panel_size,
    size_t panel_count, const code_layout layout, const size_t some, panel_sums sums[PANELS]) {
    weight_rows weights;
    load_weights(matrix, row, group, layout, some, &weights);
    const size_t size = layout.group_size;
    const size_t row_bytes = matrix->columns * layout.bits / 8;
    const size_t bytes = size * layout.bits / 8;
    const next_rows next = {
        .codes = (const uint8_t *)matrix->weights + (row + PANEL_ROWS) * row_bytes + group * bytes,
        .row_bytes = row_bytes,
        .bytes = LANES * bytes,
    };
    const uint8_t *panel = panels + group * phi_packed_group_size(LANES, size);
    size_t i = 0;
#ifdef PANEL_PAIRS
    for (; i + 2 * PAIRS_MAX <= panel_count; i += 2 * PAIRS_MAX) {
        add_pairs(
            &weights, panel + i * panel_size, panel_size, layout, some, PAIRS_MAX,
            i == 0 ? &next : NULL, (pair_sums *)&sums[i]);
    }
    for (; i + 2 <= panel_count; i += 2) {
        add_pairs(
            &weights, panel + i * panel_size, panel_size, layout, some, 1, i == 0 ? &next : NULL,
            (pair_sums *)&sums[i]);
    }
#endif
    for (; i < panel_count; i++) {
        add_panel(
            &weights, panel + i * panel_size, layout, some, i == 0 ? &next : NULL, sums[i]);
    }
}

/// The number of the `count` rows of activations that are processed in panels. A panel takes the
/// same time for one row as for eight; a remainder of at most REST_MAX rows after full panels is
/// faster in a tile.
TARGET_INLINE size_t count_in_panels(size_t count) {
    if (count < PACKED_COUNT_MIN) return 0;
    const size_t rest = count % LANES;
    return rest <= REST_MAX ? count - rest : count;
}

/// Multiplies PANEL_ROWS rows of weights, whose layout is constant, with at most PANEL_INPUTS rows
/// of activations from `first` on; `all` rows are in panels.
TARGET_INLINE void multiply_rows(
    const phi_matrix *matrix, size_t row, const phi_int8_activations *input, size_t first,
    size_t all, float *output, size_t output_stride, const code_layout layout) {
    const size_t group_count = matrix->columns / layout.group_size;
    const size_t left = all - first;
    const size_t count = left < PANEL_INPUTS ? left : PANEL_INPUTS;
    const size_t panel_count = (count + LANES - 1) / LANES;
    const size_t panel_size = phi_packed_size(matrix, LANES, LANES);
    const uint8_t *panels = input->packed + first / LANES * panel_size;
    _Alignas(CACHE_LINE) panel_sums sums[PANELS];
    memset(sums, 0, panel_count * sizeof sums[0]);
    size_t group = 0;
    for (; group + LANES <= group_count; group += LANES) {
        add_groups_to_panels(
            matrix, row, group, panels, panel_size, panel_count, layout, LANES, sums);
    }
    if (group < group_count) {
        const size_t some = group_count - group;
        add_groups_to_panels(
            matrix, row, group, panels, panel_size, panel_count, layout, some, sums);
    }
    output += first * output_stride + row;
    size_t i = 0;
#ifdef PANEL_PAIRS
    for (; i + LANES < count; i += 2 * LANES) {
        store_pair(
            *(pair_sums *)&sums[i / LANES], output + i * output_stride, output_stride,
            count - i < 2 * LANES ? count - i : 2 * LANES);
    }
#endif
    for (; i < count; i += LANES) {
        store_panel(
            sums[i / LANES], output + i * output_stride, output_stride,
            count - i < LANES ? count - i : LANES);
    }
}

/// Multiplies PANEL_ROWS rows of weights, whose layout is constant, with `all` activations in
/// panels.
TARGET_INLINE void multiply_inputs(
    const phi_matrix *matrix, size_t row, const phi_int8_activations *input, size_t all,
    float *output, size_t output_stride, const code_layout layout) {
    for (size_t first = 0; first < all; first += PANEL_INPUTS) {
        multiply_rows(matrix, row, input, first, all, output, output_stride, layout);
    }
}

/// The same with the matrix's layout.
TARGET static void multiply_panel_rows(
    const phi_matrix *matrix, size_t row, const phi_int8_activations *input, size_t all,
    float *output, size_t stride) {
    WITH_LAYOUT(matrix, multiply_inputs(matrix, row, input, all, output, stride, layout))
}

/// Multiplies as many multiples of PANEL_ROWS rows from `row` on as there are with the activations
/// that are in panels.
/// - Returns: the first row that remains.
TARGET static size_t multiply_panels(
    const phi_matrix *matrix, size_t row, size_t end, const phi_int8_activations *input,
    float *output, size_t output_stride) {
    const size_t all = count_in_panels(input->count);
    if (all == 0) return row;
    const tile rest = tile_from(matrix, input, all, output, output_stride);
    for (; row + PANEL_ROWS <= end; row += PANEL_ROWS) {
        multiply_panel_rows(matrix, row, input, all, output, output_stride);
        if (all == input->count) continue;
        multiply_tile(matrix, row, row + PANEL_ROWS, &rest, input->count - all);
    }
    return row;
}
