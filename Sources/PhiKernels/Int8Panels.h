// Products of 4-bit rows with many rows of activations rounded to int8, as in a prompt; included
// behind Int8Rows.h. Codes of a panel of rows are unpacked and interleaved once for many activations:
// four of a row, then four of the next one. Eight rows then fill a register, one broadcast of four
// activations meets them all, and a group's sums come out a row each, without a sum over lanes.
//
// A file that includes this defines beforehand
//
//     TARGET_INLINE void dot_panel(const __m256i *weights, const int8_t *const x[], size_t count,
//                                  __m256i dots[][PANEL_REGISTERS])
//
// for PANEL_TILE rows x: dots[i] = the sums over `count` times four codes of each of the panel's
// rows, [count, PANEL_REGISTERS] registers of weights.

enum {
    /// Rows of weights in a panel.
    PANEL_ROWS = PANEL_REGISTERS * LANES,
    /// The most rows of activations for one unpacking: their sums stay in a near cache.
    PANEL_INPUTS = 64,
    /// Fewer rows of activations are not worth the interleaving.
    PANEL_INPUTS_MIN = 12,
    /// The largest group.
    GROUP_SIZE_MAX = GROUP_REGISTERS * CODES,
};

/// Eight groups of a panel, at most.
typedef struct {
    /// [groups, codes of a group / 4, PANEL_REGISTERS]
    __m256i codes[LANES * GROUP_SIZE_MAX / 4 * PANEL_REGISTERS];
    /// [groups, PANEL_REGISTERS]
    __m256 scales[LANES][PANEL_REGISTERS];
    __m256 biases[LANES][PANEL_REGISTERS];
} panel;

/// The running sums of `phi_int8_activations`, a register of rows each.
typedef __m256 panel_sums[LANES][PANEL_REGISTERS];

/// Eight registers of eight numbers, with rows and columns exchanged.
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

/// The floats of `some` groups of eight rows, a register of rows for each group.
TARGET_INLINE void load_panel_floats(
    const void *array, phi_float_type type, size_t first, size_t stride, size_t some,
    size_t part, __m256 floats[LANES][PANEL_REGISTERS]) {
    __m256i rows[LANES];
    for (size_t row = 0; row < LANES; row++) {
        rows[row] = _mm256_castps_si256(
            load_some_floats(array, type, first + row * stride, some, 0));
    }
    transpose(rows);
    for (size_t group = 0; group < some; group++) {
        floats[group][part] = _mm256_castsi256_ps(rows[group]);
    }
}

/// Fills a panel with `some` groups from `group` on of the rows from `row` on.
TARGET static void load_panel(
    const phi_matrix *matrix, size_t row, size_t group, size_t some, panel *panel) {
    const size_t size = matrix->group_size;
    const size_t group_count = matrix->columns / size;
    for (size_t part = 0; part < PANEL_REGISTERS; part++) {
        const size_t first = (row + part * LANES) * group_count + group;
        load_panel_floats(
            matrix->scales, matrix->float_type, first, group_count, some, part, panel->scales);
        load_panel_floats(
            matrix->biases, matrix->bias_type, first, group_count, some, part, panel->biases);
        for (size_t index = 0; index < some; index++) {
            const uint8_t *codes = (const uint8_t *)matrix->weights + (first + index) * size / 2;
            __m256i unpacked[LANES][GROUP_REGISTERS];
            for (size_t i = 0; i < LANES; i++) {
                const uint8_t *row_codes = codes + i * matrix->columns / 2;
                // The same group of the next panel part, behind the eight that are loaded now.
                _mm_prefetch((const char *)row_codes + LANES * size / 2, _MM_HINT_T0);
                unpack_group(row_codes, 4, size, unpacked[i]);
            }
            for (size_t r = 0; r < size / CODES; r++) {
                __m256i rows[LANES];
                for (size_t i = 0; i < LANES; i++) rows[i] = unpacked[i][r];
                transpose(rows);
                for (size_t i = 0; i < LANES; i++) {
                    const size_t four = index * size / 4 + r * LANES + i;
                    panel->codes[four * PANEL_REGISTERS + part] = rows[i];
                }
            }
        }
    }
}

/// Adds `some` groups from `group` on to the sums of up to PANEL_TILE rows of activations, from
/// `first` on.
TARGET_INLINE void add_panel(
    const phi_matrix *matrix, const panel *panel, size_t group, size_t some, const tile *tile,
    size_t first, size_t count, panel_sums *sums) {
    const size_t size = matrix->group_size;
    const size_t group_count = matrix->columns / size;
    for (size_t index = 0; index < some; index++) {
        const int8_t *x[PANEL_TILE];
        for (size_t i = 0; i < PANEL_TILE; i++) {
            // Beyond the end, the last row again; its sums are not used twice.
            const size_t input = first + (i < count ? i : count - 1);
            x[i] = tile->codes + input * matrix->columns + (group + index) * size;
        }
        __m256i dots[PANEL_TILE][PANEL_REGISTERS];
        dot_panel(panel->codes + index * size / 4 * PANEL_REGISTERS, x, size / 4, dots);
        for (size_t i = 0; i < PANEL_TILE && i < count; i++) {
            const size_t position = (first + i) * group_count + group + index;
            const __m256 x_scale = _mm256_broadcast_ss(tile->scales + position);
            const __m256 x_sum = _mm256_broadcast_ss(tile->sums + position);
            for (size_t part = 0; part < PANEL_REGISTERS; part++) {
                __m256 *sum = &sums[first + i][index][part];
                const __m256 scale = _mm256_mul_ps(panel->scales[index][part], x_scale);
                *sum = _mm256_fmadd_ps(panel->biases[index][part], x_sum, *sum);
                *sum = _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(dots[i][part]), *sum);
            }
        }
    }
}

/// A panel's rows, from `row` on, with `count` rows of activations, at most PANEL_INPUTS.
TARGET static void multiply_panel(
    const phi_matrix *matrix, size_t row, const tile *tile, size_t count) {
    const size_t group_count = matrix->columns / matrix->group_size;
    panel panel;
    panel_sums sums[PANEL_INPUTS];
    memset(sums, 0, count * sizeof sums[0]);
    for (size_t group = 0; group < group_count; group += LANES) {
        const size_t some = group_count - group < LANES ? group_count - group : LANES;
        load_panel(matrix, row, group, some, &panel);
        for (size_t i = 0; i < count; i += PANEL_TILE) {
            const size_t left = count - i < PANEL_TILE ? count - i : PANEL_TILE;
            add_panel(matrix, &panel, group, some, tile, i, left, sums);
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t part = 0; part < PANEL_REGISTERS; part++) {
            __m256 s[LANES];
            for (int lane = 0; lane < LANES; lane++) s[lane] = sums[i][lane][part];
            const __m256 even =
                _mm256_add_ps(_mm256_add_ps(s[0], s[4]), _mm256_add_ps(s[2], s[6]));
            const __m256 odd =
                _mm256_add_ps(_mm256_add_ps(s[1], s[5]), _mm256_add_ps(s[3], s[7]));
            _mm256_storeu_ps(
                tile->output + i * tile->output_stride + row + part * LANES,
                _mm256_add_ps(even, odd));
        }
    }
}

/// As many of the rows from `row` on as make whole panels, with all activations.
/// - Returns: the first row that is left.
TARGET static size_t multiply_panels(
    const phi_matrix *matrix, size_t row, size_t end, const phi_int8_activations *input,
    float *output, size_t output_stride) {
    if (matrix->bits != 4 || input->count < PANEL_INPUTS_MIN) return row;
    for (; row + PANEL_ROWS <= end; row += PANEL_ROWS) {
        for (size_t i = 0; i < input->count; i += PANEL_INPUTS) {
            const tile tile = tile_from(matrix, input, i, output, output_stride);
            const size_t left = input->count - i;
            multiply_panel(matrix, row, &tile, left < PANEL_INPUTS ? left : PANEL_INPUTS);
        }
    }
    return row;
}
