// Products of 4-bit rows with several rows of activations rounded to int8; included behind
// Int8Rows.h. Codes of eight rows of activations, a panel, are interleaved once for many rows of
// weights: four of a row, then four of the next one. A broadcast of four codes of weights meets all
// eight, and a group's sums come out a row of activations each, without a sum over lanes.
//
// A file that includes this defines beforehand
//
//     TARGET_INLINE void dot_panel(const uint8_t *const weights[PANEL_ROWS], const __m256i *x,
//                                  size_t count, __m256i dots[PANEL_ROWS])
//
// for PANEL_ROWS rows of weights: dots[i] = the sums over `count` times four codes of row i with
// those of each of the panel's rows, [count] registers of activations.

enum {
    /// The most rows of activations for one unpacking: their running sums stay in a near cache.
    PANEL_INPUTS = 64,
    /// Fewer rows of activations fill too little of a register.
    PANEL_INPUTS_MIN = 5,
    /// The most rows of weights for one interleaving.
    PANEL_BLOCK = 32,
    /// The largest group.
    GROUP_SIZE_MAX = GROUP_REGISTERS * CODES,
};

/// Eight groups, at most, of eight rows of activations.
typedef struct {
    /// [groups, codes of a group / 4]
    __m256i codes[LANES * GROUP_SIZE_MAX / 4];
    /// [groups]
    __m256 scales[LANES];
    __m256 sums[LANES];
} input_panel;

/// Eight groups, at most, of some rows of weights.
typedef struct {
    /// [rows, groups, codes of a group]
    __m256i codes[PANEL_ROWS][LANES * GROUP_REGISTERS];
    /// [rows, groups]
    float scales[PANEL_ROWS][LANES];
    float biases[PANEL_ROWS][LANES];
} weight_rows;

/// The running sums of `phi_int8_activations`, a register of rows of activations each.
typedef __m256 panel_sums[PANEL_BLOCK][LANES];

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

/// `some` floats of each of eight rows, a register for each place in a row.
TARGET_INLINE void interleave_floats(
    const float *const rows[LANES], size_t some, __m256 floats[LANES]) {
    __m256i numbers[LANES];
    for (size_t i = 0; i < LANES; i++) {
        numbers[i] = _mm256_castps_si256(load_some_floats(rows[i], PHI_FLOAT32, 0, some, 0));
    }
    transpose(numbers);
    for (size_t i = 0; i < some; i++) floats[i] = _mm256_castsi256_ps(numbers[i]);
}

/// Fills a panel with `some` groups from `group` on of at most eight rows of activations.
TARGET static void load_inputs(
    const phi_matrix *matrix, const tile *tile, size_t first, size_t count, size_t group,
    size_t some, input_panel *panel) {
    const size_t size = matrix->group_size;
    const size_t group_count = matrix->columns / size;
    const int8_t *codes[LANES];
    const float *scales[LANES];
    const float *sums[LANES];
    for (size_t i = 0; i < LANES; i++) {
        // Beyond the end, the last row again; its sums are not used twice.
        const size_t input = first + (i < count ? i : count - 1);
        codes[i] = tile->codes + input * matrix->columns + group * size;
        scales[i] = tile->scales + input * group_count + group;
        sums[i] = tile->sums + input * group_count + group;
    }
    interleave_floats(scales, some, panel->scales);
    interleave_floats(sums, some, panel->sums);
    for (size_t column = 0; column < some * size; column += CODES) {
        __m256i rows[LANES];
        for (size_t i = 0; i < LANES; i++) {
            rows[i] = _mm256_loadu_si256((const __m256i *)(codes[i] + column));
        }
        transpose(rows);
        for (size_t i = 0; i < LANES; i++) panel->codes[column / 4 + i] = rows[i];
    }
}

/// Unpacks `some` groups from `group` on of PANEL_ROWS rows of weights.
TARGET_INLINE void load_weights(
    const phi_matrix *matrix, size_t row, size_t group, size_t some, weight_rows *weights) {
    const size_t size = matrix->group_size;
    const size_t group_count = matrix->columns / size;
    for (size_t i = 0; i < PANEL_ROWS; i++) {
        const size_t first = (row + i) * group_count + group;
        const uint8_t *codes = (const uint8_t *)matrix->weights + first * size / 2;
        for (size_t index = 0; index < some; index++) {
            // PANEL_ROWS rows further on are those that come next.
            _mm_prefetch(
                (const char *)codes + PANEL_ROWS * matrix->columns / 2 + index * size / 2,
                _MM_HINT_T0);
            unpack_group(
                codes + index * size / 2, 4, size, &weights->codes[i][index * size / CODES]);
        }
        _mm256_storeu_ps(
            weights->scales[i],
            load_some_floats(matrix->scales, matrix->float_type, first, some, 0));
        _mm256_storeu_ps(
            weights->biases[i],
            load_some_floats(matrix->biases, matrix->bias_type, first, some, 0));
    }
}

/// Adds `some` groups of PANEL_ROWS rows of weights to a panel's sums, from `sums` on.
TARGET_INLINE void add_panel(
    const weight_rows *weights, const input_panel *panel, size_t size, size_t some,
    __m256 sums[][LANES]) {
    for (size_t index = 0; index < some; index++) {
        const uint8_t *codes[PANEL_ROWS];
        for (size_t i = 0; i < PANEL_ROWS; i++) {
            codes[i] = (const uint8_t *)weights->codes[i] + index * size;
        }
        __m256i dots[PANEL_ROWS];
        dot_panel(codes, panel->codes + index * size / 4, size / 4, dots);
        for (size_t i = 0; i < PANEL_ROWS; i++) {
            const __m256 bias = _mm256_broadcast_ss(&weights->biases[i][index]);
            const __m256 scale = _mm256_mul_ps(
                _mm256_broadcast_ss(&weights->scales[i][index]), panel->scales[index]);
            const __m256 sum = _mm256_fmadd_ps(bias, panel->sums[index], sums[i][index]);
            sums[i][index] = _mm256_fmadd_ps(scale, _mm256_cvtepi32_ps(dots[i]), sum);
        }
    }
}

/// Writes the results of a panel with eight rows of weights.
TARGET_INLINE void store_panel(
    __m256 sums[LANES][LANES], float *output, size_t output_stride, size_t count) {
    __m256i whole[LANES];
    for (size_t i = 0; i < LANES; i++) {
        const __m256 *s = sums[i];
        const __m256 even = _mm256_add_ps(_mm256_add_ps(s[0], s[4]), _mm256_add_ps(s[2], s[6]));
        const __m256 odd = _mm256_add_ps(_mm256_add_ps(s[1], s[5]), _mm256_add_ps(s[3], s[7]));
        whole[i] = _mm256_castps_si256(_mm256_add_ps(even, odd));
    }
    transpose(whole);
    for (size_t i = 0; i < count; i++) {
        _mm256_storeu_ps(output + i * output_stride, _mm256_castsi256_ps(whole[i]));
    }
}

/// At most PANEL_BLOCK rows of weights, a multiple of eight, with at most PANEL_INPUTS rows of
/// activations.
TARGET static void multiply_block(
    const phi_matrix *matrix, size_t row, size_t row_count, const tile *tile, size_t count) {
    const size_t size = matrix->group_size;
    const size_t group_count = matrix->columns / size;
    const size_t panel_count = (count + LANES - 1) / LANES;
    input_panel panels[PANEL_INPUTS / LANES];
    panel_sums sums[PANEL_INPUTS / LANES];
    memset(sums, 0, panel_count * sizeof sums[0]);
    for (size_t group = 0; group < group_count; group += LANES) {
        const size_t some = group_count - group < LANES ? group_count - group : LANES;
        for (size_t i = 0; i < panel_count; i++) {
            const size_t left = count - i * LANES < LANES ? count - i * LANES : LANES;
            load_inputs(matrix, tile, i * LANES, left, group, some, &panels[i]);
        }
        for (size_t r = 0; r < row_count; r += PANEL_ROWS) {
            weight_rows weights;
            load_weights(matrix, row + r, group, some, &weights);
            for (size_t i = 0; i < panel_count; i++) {
                add_panel(&weights, &panels[i], size, some, &sums[i][r]);
            }
        }
    }
    for (size_t i = 0; i < panel_count; i++) {
        const size_t left = count - i * LANES < LANES ? count - i * LANES : LANES;
        float *output = tile->output + i * LANES * tile->output_stride + row;
        for (size_t r = 0; r < row_count; r += LANES) {
            store_panel(&sums[i][r], output + r, tile->output_stride, left);
        }
    }
}

/// As many of the rows from `row` on as come in eights, with all activations.
/// - Returns: the first row that is left.
TARGET static size_t multiply_panels(
    const phi_matrix *matrix, size_t row, size_t end, const phi_int8_activations *input,
    float *output, size_t output_stride) {
    if (matrix->bits != 4 || input->count < PANEL_INPUTS_MIN) return row;
    while (row + LANES <= end) {
        const size_t whole = (end - row) / LANES * LANES;
        const size_t some = whole < PANEL_BLOCK ? whole : PANEL_BLOCK;
        for (size_t i = 0; i < input->count; i += PANEL_INPUTS) {
            const tile tile = tile_from(matrix, input, i, output, output_stride);
            const size_t left = input->count - i;
            multiply_block(matrix, row, some, &tile, left < PANEL_INPUTS ? left : PANEL_INPUTS);
        }
        row += some;
    }
    return row;
}
