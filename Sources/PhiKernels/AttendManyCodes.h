// Attention of many queries to keys and values of 8 bits, as AttendCodes.h computes it. A part of AttendManyQueries.h.

/// Pairs of words of all queries.
typedef word_pairs query_pairs[GROUPS_MAX];

/// The product of `pair_count` pairs of each query and the factors of `columns` columns: sums[c][g] is that of
/// the queries of register g and the pairs at factors + c * column_stride + i * pair_stride.
TARGET_INLINE void multiply_pairs(
    const query_pairs *pairs, size_t pair_count, const int16_t *factors, size_t column_stride,
    size_t pair_stride, const size_t columns, const size_t groups,
    integers sums[SUMS_OF_MANY][GROUPS_MAX]) {
    // Of its own, so that it stays in registers.
    integers kept[SUMS_OF_MANY][GROUPS_MAX];
    for (size_t c = 0; c < columns; c++) {
        for (size_t g = 0; g < groups; g++) kept[c][g] = integers_of_zero();
    }
    for (size_t i = 0; i < pair_count; i++) {
        for (size_t c = 0; c < columns; c++) {
            const int16_t *pair = factors + c * column_stride + i * pair_stride;
            for (size_t g = 0; g < groups; g++) {
                kept[c][g] = add_pair_products(kept[c][g], pairs[i][g], pair);
            }
        }
    }
    for (size_t c = 0; c < columns; c++) {
        for (size_t g = 0; g < groups; g++) sums[c][g] = kept[c][g];
    }
}

/// The queries of a tile, in pairs of words of neighbouring numbers, and the factors of their dot products.
typedef struct {
    query_pairs pairs[PHI_HEAD_SIZE_MAX / 2];
    float scales[PHI_QUERIES_MAX];
} paired_queries;

TARGET static void pair_queries(
    const phi_attention_tile *tile, const size_t groups, paired_queries *paired) {
    word_queries rounded;
    round_queries(tile, &rounded);
    memcpy(paired->scales, rounded.scales, groups * LANES * sizeof rounded.scales[0]);
    for (size_t i = 0; i < tile->head_size; i += 2) {
        int32_t numbers[2][PHI_QUERIES_MAX];
        for (size_t q = 0; q < groups * LANES; q++) {
            numbers[0][q] = rounded.words[q][i];
            numbers[1][q] = i + 1 < tile->head_size ? rounded.words[q][i + 1] : 0;
        }
        for (size_t g = 0; g < groups; g++) {
            paired->pairs[i / 2][g] = word_pairs_of(
                integers_load(numbers[0] + g * LANES), integers_load(numbers[1] + g * LANES));
        }
    }
}

/// Computes the scores of `columns` keys of a piece, of `key_scales` each, and raises the largest of each query.
TARGET_INLINE void score_columns(
    const phi_attention_tile *tile, const paired_queries *queries, const int16_t *keys,
    size_t row, const float *key_scales, size_t position, size_t count, const size_t columns,
    const size_t groups, float largest[PHI_QUERIES_MAX]) {
    integers dots[SUMS_OF_MANY][GROUPS_MAX];
    multiply_pairs(queries->pairs, row / 2, keys, row, 2, columns, groups, dots);
    for (size_t c = 0; c < columns && c < count; c++, position++) {
        float *scores = scores_at(tile, position, groups);
        for (size_t g = 0; g < groups; g++) {
            const lanes dot = lanes_of_integers(dots[c][g]);
            const lanes scaled = lanes_multiply(dot, lanes_load(queries->scales + g * LANES));
            lanes_store(scores + g * LANES, lanes_multiply(scaled, lanes_of(key_scales[c])));
        }
        note_scores(tile, position, groups, scores, largest);
    }
}

/// Computes the scaled dot products, [positions, groups * LANES], and the largest of each query.
TARGET_INLINE void score_many_codes(
    const phi_attention_tile *tile, const size_t columns, const size_t groups,
    float largest[PHI_QUERIES_MAX]) {
    const size_t size = tile->head_size;
    const size_t stored_size = phi_stored_size(PHI_INT8, size);
    const size_t row = filled_up(size, 2);
    const size_t offset = tile->cached.keys_offset;
    paired_queries queries;
    pair_queries(tile, groups, &queries);
    stored_pieces pieces = first_pieces(tile, PHI_INT8, tile->query_count, offset);
    for (; pieces.now.count > 0; advance(tile, PHI_INT8, tile->query_count, offset, &pieces)) {
        const stored_piece *piece = &pieces.now;
        int16_t keys[PHI_PIECE_POSITIONS * PHI_HEAD_SIZE_MAX];
        for (size_t k = 0; k < filled_up(piece->count, columns); k++) {
            prefetch(&pieces.ahead, k * stored_size, stored_size);
            const int8_t *codes = codes_at(tile, piece, k);
            int16_t *key = keys + k * row;
            for (size_t i = 0; i < size; i++) key[i] = codes[i];
            if (size < row) key[size] = 0;
        }
        float scales[PHI_PIECE_POSITIONS];
        load_piece_scales(tile, piece, 1, scales);
        for (size_t k = 0; k < piece->count; k += columns) {
            score_columns(
                tile, &queries, keys + k * row, row, scales + k, piece->first + k,
                piece->count - k, columns, groups, largest);
        }
    }
}

/// The weights of a piece's values, multiplied by their scales, in pairs of words of neighbouring positions,
/// and the factors of the queries' sums.
typedef struct {
    query_pairs pairs[PHI_PIECE_POSITIONS / 2];
    float scales[PHI_QUERIES_MAX];
} paired_weights;

/// Rounds the weights of a piece, [count, PHI_QUERIES_MAX] with room for one more, of which the largest are
/// `largest`.
TARGET_INLINE void pair_weights(
    float weights[][PHI_QUERIES_MAX], size_t count, const float largest[PHI_QUERIES_MAX],
    const size_t groups, paired_weights *paired) {
    float inverses[PHI_QUERIES_MAX];
    for (size_t q = 0; q < groups * LANES; q++) {
        const float weight = largest[q] * (1 / PHI_VALUE_UNIT);
        inverses[q] = phi_word_inverse(weight) * (1 / PHI_VALUE_UNIT);
        paired->scales[q] = phi_word_scale(weight);
    }
    if (count % 2) memset(weights[count], 0, sizeof weights[count]);
    for (size_t k = 0; k < count; k += 2) {
        for (size_t g = 0; g < groups; g++) {
            const lanes inverse = lanes_load(inverses + g * LANES);
            const lanes first = lanes_load(weights[k] + g * LANES);
            const lanes second = lanes_load(weights[k + 1] + g * LANES);
            paired->pairs[k / 2][g] = word_pairs_of(
                nearest_integers(lanes_multiply(first, inverse)),
                nearest_integers(lanes_multiply(second, inverse)));
        }
    }
}

/// Computes the weights of a piece, adds them to `sums`, and rounds them after multiplying them by the scales of its
/// values.
TARGET_INLINE void weigh_scores(
    const phi_attention_tile *tile, const stored_piece *piece,
    const float maxima[PHI_QUERIES_MAX], const size_t groups,
    float sums[LANES][PHI_QUERIES_MAX], paired_weights *paired) {
    float scales[PHI_PIECE_POSITIONS];
    load_piece_scales(tile, piece, PHI_VALUE_UNIT, scales);
    float weights[PHI_PIECE_POSITIONS + 1][PHI_QUERIES_MAX];
    float largest[PHI_QUERIES_MAX] = {0};
    for (size_t k = 0; k < piece->count; k++) {
        weigh_position(tile, piece->first + k, maxima, groups, sums, weights[k]);
        for (size_t i = 0; i < groups * LANES; i += LANES) {
            const lanes scaled = lanes_multiply(lanes_load(weights[k] + i), lanes_of(scales[k]));
            lanes_store(weights[k] + i, scaled);
            lanes_store(largest + i, lanes_max(lanes_load(largest + i), scaled));
        }
    }
    pair_weights(weights, piece->count, largest, groups, paired);
}

/// Adds the values of a piece, multiplied by their weights, to `outputs`, [head_size filled up, groups * LANES].
TARGET_INLINE void add_weighted_codes(
    const phi_attention_tile *tile, const stored_pieces *pieces, const paired_weights *weights,
    const size_t columns, const size_t groups, float *outputs) {
    const size_t size = tile->head_size;
    const size_t stored_size = phi_stored_size(PHI_INT8, size);
    const size_t row = filled_up(size, columns);
    const size_t pair_count = filled_up(pieces->now.count, 2) / 2;
    int16_t values[PHI_PIECE_POSITIONS * PHI_HEAD_SIZE_MAX];
    for (size_t k = 0; k < pair_count; k++) {
        prefetch(&pieces->ahead, 2 * k * stored_size, 2 * stored_size);
        const int8_t *first = codes_at(tile, &pieces->now, 2 * k);
        const int8_t *second = codes_at(tile, &pieces->now, 2 * k + 1);
        int16_t *pairs = values + 2 * k * row;
        for (size_t i = 0; i < size; i++) {
            pairs[2 * i] = first[i];
            pairs[2 * i + 1] = second[i];
        }
        if (size < row) memset(pairs + 2 * size, 0, 2 * (row - size) * sizeof pairs[0]);
    }
    for (size_t i = 0; i < size; i += columns) {
        integers sums[SUMS_OF_MANY][GROUPS_MAX];
        multiply_pairs(
            weights->pairs, pair_count, values + 2 * i, 2, 2 * row, columns, groups, sums);
        for (size_t c = 0; c < columns; c++) {
            for (size_t g = 0; g < groups; g++) {
                float *output = outputs + ((i + c) * groups + g) * LANES;
                const lanes scale = lanes_load(weights->scales + g * LANES);
                const lanes sum = lanes_of_integers(sums[c][g]);
                lanes_store(output, lanes_multiply_add(sum, scale, lanes_load(output)));
            }
        }
    }
}

/// Adds the values of a piece, multiplied by their weights, to `outputs`, and the weights to `sums`.
TARGET_INLINE void weigh_many_codes(
    const phi_attention_tile *tile, const stored_pieces *pieces,
    const float maxima[PHI_QUERIES_MAX], const size_t columns, const size_t groups,
    float sums[LANES][PHI_QUERIES_MAX], float *outputs) {
    paired_weights weights;
    weigh_scores(tile, &pieces->now, maxima, groups, sums, &weights);
    add_weighted_codes(tile, pieces, &weights, columns, groups, outputs);
}
