// Two panels of activations at a time in 64-byte registers, one in each half; included by Int8Panels.h for
// instruction sets with such registers, which define PANEL_PAIRS. An instruction then multiplies with
// sixteen rows of activations, and two pairs share each broadcast code of weights, whose loads would
// be the limit otherwise. The sums are the same.

/// The maximum number of pairs that share broadcast codes.
enum { PAIRS_MAX = 2 };

/// The running sums of two panels, in the place of theirs.
typedef __m512 pair_sums[PANEL_ROWS][LANES];

/// One register of each panel, which are `panel_size` bytes apart.
TARGET_INLINE __m512i join_codes(const uint8_t *first, size_t panel_size) {
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm256_load_si256((const __m256i *)first)),
        _mm256_load_si256((const __m256i *)(first + panel_size)), 1);
}

TARGET_INLINE __m512 join_floats(const uint8_t *first, size_t panel_size) {
    return _mm512_castsi512_ps(join_codes(first, panel_size));
}

/// `dot_panel` for `pairs` times two panels, `panel_size` bytes apart.
TARGET_INLINE void dot_pairs(
    const uint8_t *const weights[PANEL_ROWS], const uint8_t *panel, size_t panel_size, size_t count,
    const size_t pairs, __m512i dots[PAIRS_MAX][PANEL_ROWS]) {
    for (size_t pair = 0; pair < pairs; pair++) {
        for (int i = 0; i < PANEL_ROWS; i++) dots[pair][i] = _mm512_setzero_si512();
    }
    for (size_t four = 0; four < count; four++) {
        __m512i codes[PAIRS_MAX];
        for (size_t pair = 0; pair < pairs; pair++) {
            codes[pair] = join_codes(panel + 2 * pair * panel_size + CODES * four, panel_size);
        }
        for (int i = 0; i < PANEL_ROWS; i++) {
            int32_t word;
            memcpy(&word, weights[i] + 4 * four, sizeof word);
            const __m512i weight = _mm512_set1_epi32(word);
            for (size_t pair = 0; pair < pairs; pair++) {
                dots[pair][i] = _mm512_dpbusd_epi32(dots[pair][i], weight, codes[pair]);
            }
        }
    }
}

/// Adds the dot products of group `index` to the running sums of two panels, whose scales begin at
/// `scales`.
TARGET_INLINE void add_pair(
    const weight_rows *weights, size_t index, const uint8_t *scales, size_t panel_size,
    const __m512i dots[PANEL_ROWS], pair_sums sums) {
    const __m512 x_scale = join_floats(scales, panel_size);
    const __m512 x_sum = join_floats(scales + LANES * sizeof(float), panel_size);
    for (size_t i = 0; i < PANEL_ROWS; i++) {
        const __m512 bias = _mm512_set1_ps(weights->biases[i][index]);
        const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(weights->scales[i][index]), x_scale);
        const __m512 sum = _mm512_fmadd_ps(bias, x_sum, sums[i][index]);
        sums[i][index] = _mm512_fmadd_ps(scale, _mm512_cvtepi32_ps(dots[i]), sum);
    }
}

/// `add_panel` for `pairs` times two panels, `panel_size` bytes apart.
TARGET_INLINE void add_pairs(
    const weight_rows *weights, const uint8_t *panel, size_t panel_size, const code_layout layout,
    const size_t some, const size_t pairs, const next_rows *next, pair_sums *sums) {
    const size_t size = layout.group_size;
    for (size_t index = 0; index < some; index++) {
        if (next) fetch_row(next, index);
        const uint8_t *codes[PANEL_ROWS];
        for (size_t i = 0; i < PANEL_ROWS; i++) {
            codes[i] = (const uint8_t *)weights->codes[0][i] + index * size;
        }
        __m512i dots[PAIRS_MAX][PANEL_ROWS];
        dot_pairs(codes, panel, panel_size, size / 4, pairs, dots);
        for (size_t pair = 0; pair < pairs; pair++) {
            const uint8_t *scales = panel + 2 * pair * panel_size + LANES * size;
            add_pair(weights, index, scales, panel_size, dots[pair], sums[pair]);
        }
        panel += phi_packed_group_size(LANES, size);
    }
}

/// `store_panel` for two panels with `count` rows, more than LANES.
TARGET_INLINE void store_pair(
    pair_sums sums, float *output, size_t output_stride, size_t count) {
    __m256i halves[2][LANES];
    for (size_t i = 0; i < LANES; i++) {
        const __m512 *s = sums[i];
        const __m512 even = _mm512_add_ps(_mm512_add_ps(s[0], s[4]), _mm512_add_ps(s[2], s[6]));
        const __m512 odd = _mm512_add_ps(_mm512_add_ps(s[1], s[5]), _mm512_add_ps(s[3], s[7]));
        const __m512i whole = _mm512_castps_si512(_mm512_add_ps(even, odd));
        halves[0][i] = _mm512_castsi512_si256(whole);
        halves[1][i] = _mm512_extracti64x4_epi64(whole, 1);
    }
    store_rows(halves[0], output, output_stride, LANES);
    store_rows(halves[1], output + LANES * output_stride, output_stride, count - LANES);
}
