// Two panels of activations at a time in 64-byte registers, one in each half; included by Int8Panels.h for
// instruction sets with such registers, which define PANEL_PAIRS. An instruction then multiplies with
// sixteen rows of activations, and the loads of weights, scales and running sums, which are the limit
// of narrower registers, are half as many. The sums are the same.

/// The running sums of two panels, in the place of theirs.
typedef __m512 pair_sums[PANEL_ROWS][LANES];

/// One register of each panel.
TARGET_INLINE __m512i join_codes(__m256i first, __m256i second) {
    return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
}

TARGET_INLINE __m512 join_floats(const float *first, const float *second) {
    return _mm512_castsi512_ps(join_codes(
        _mm256_load_si256((const __m256i *)first), _mm256_load_si256((const __m256i *)second)));
}

/// `dot_panel` for two panels.
TARGET_INLINE void dot_pair(
    const uint8_t *const weights[PANEL_ROWS], const __m256i *first, const __m256i *second,
    size_t count, __m512i dots[PANEL_ROWS]) {
    for (int i = 0; i < PANEL_ROWS; i++) dots[i] = _mm512_setzero_si512();
    for (size_t four = 0; four < count; four++) {
        const __m512i codes = join_codes(first[four], second[four]);
        for (int i = 0; i < PANEL_ROWS; i++) {
            int32_t word;
            memcpy(&word, weights[i] + 4 * four, sizeof word);
            dots[i] = _mm512_dpbusd_epi32(dots[i], _mm512_set1_epi32(word), codes);
        }
    }
}

/// `add_panel` for two panels, `panel_size` bytes apart.
TARGET_INLINE void add_pair(
    const weight_rows *weights, const uint8_t *panel, size_t panel_size, const code_layout layout,
    const size_t some, const next_rows *next, pair_sums sums) {
    const size_t size = layout.group_size;
    for (size_t index = 0; index < some; index++) {
        if (next) fetch_row(next, index);
        const uint8_t *codes[PANEL_ROWS];
        for (size_t i = 0; i < PANEL_ROWS; i++) {
            codes[i] = (const uint8_t *)weights->codes[0][i] + index * size;
        }
        const uint8_t *second = panel + panel_size;
        __m512i dots[PANEL_ROWS];
        dot_pair(codes, (const __m256i *)panel, (const __m256i *)second, size / 4, dots);

        const float *scales = (const float *)(panel + LANES * size);
        const float *second_scales = (const float *)(second + LANES * size);
        const __m512 x_scale = join_floats(scales, second_scales);
        const __m512 x_sum = join_floats(scales + LANES, second_scales + LANES);
        for (size_t i = 0; i < PANEL_ROWS; i++) {
            const __m512 bias = _mm512_set1_ps(weights->biases[i][index]);
            const __m512 scale = _mm512_mul_ps(_mm512_set1_ps(weights->scales[i][index]), x_scale);
            const __m512 sum = _mm512_fmadd_ps(bias, x_sum, sums[i][index]);
            sums[i][index] = _mm512_fmadd_ps(scale, _mm512_cvtepi32_ps(dots[i]), sum);
        }
        panel += phi_packed_group_size(LANES, size);
    }
}

/// Separates the sums of two panels, so that each can be stored alone.
TARGET_INLINE void separate_pair(panel_sums sums[2]) {
    __m512 both[PANEL_ROWS][LANES];
    memcpy(both, sums, sizeof both);
    for (size_t i = 0; i < PANEL_ROWS; i++) {
        for (size_t lane = 0; lane < LANES; lane++) {
            const __m512 s = both[i][lane];
            sums[0][i][lane] = _mm512_castps512_ps256(s);
            sums[1][i][lane] =
                _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(s), 1));
        }
    }
}
