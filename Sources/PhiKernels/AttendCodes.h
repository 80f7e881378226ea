// Attention to keys and values of 8 bits, in whole numbers: see `attend` of the kernel table. Their sums are
// exact, so the order of additions is free; only the sums over pieces of positions are floats. A part
// of Attend.h.

/// The queries of a tile as words, and the factor of each one's dot products.
typedef struct {
    int16_t words[PHI_QUERIES_MAX][PHI_HEAD_SIZE_MAX];
    float scales[PHI_QUERIES_MAX];
} word_queries;

/// The codes of key or value `k` of a piece, or of its last one.
TARGET_INLINE const int8_t *codes_at(
    const phi_attention_tile *tile, const stored_piece *piece, size_t k) {
    return (const int8_t *)stored_at(tile, PHI_INT8, piece, k);
}

/// The scales of a piece's keys or values, multiplied by `unit`, and zeros.
TARGET_INLINE void load_piece_scales(
    const phi_attention_tile *tile, const stored_piece *piece, const float unit,
    float scales[PHI_PIECE_POSITIONS]) {
// Gathering them is slower.
#pragma clang loop vectorize(disable)
    for (size_t k = 0; k < piece->count; k++) {
        const int8_t *codes = codes_at(tile, piece, k);
        scales[k] = phi_stored_scale(codes, PHI_INT8, tile->head_size) * unit;
    }
    for (size_t k = piece->count; k < PHI_PIECE_POSITIONS; k++) scales[k] = 0;
}

/// Rounds the queries of a tile to words.
TARGET static void round_queries(const phi_attention_tile *tile, word_queries *rounded) {
    const size_t size = tile->head_size;
    const size_t whole = size / LANES * LANES;
    for (size_t q = 0; q < tile->query_count; q++) {
        const float *query = tile->queries[q];
        float largest = largest_magnitude(query, whole);
        for (size_t i = whole; i < size; i++) largest = phi_larger_magnitude(largest, query[i]);
        const float inverse = phi_word_inverse(largest);
        int16_t *target = rounded->words[q];
        for (size_t i = 0; i < whole; i += LANES) {
            store_words(target + i, lanes_multiply(lanes_load(query + i), lanes_of(inverse)));
        }
        for (size_t i = whole; i < size; i++) target[i] = phi_word(query[i] * inverse);
        rounded->scales[q] = phi_word_scale(largest) * tile->scale;
    }
}

/// dots[q][first + k] = query q * key first + k of a piece, for `key_count` keys.
TARGET_INLINE void dot_codes(
    const phi_attention_tile *tile, const word_queries *queries, const stored_piece *piece,
    size_t first, const size_t query_count, const size_t key_count,
    int32_t dots[PHI_FEW_QUERIES_MAX][PHI_PIECE_POSITIONS]) {
    integers sums[SUMS_MAX];
    const int8_t *codes[8];
    for (size_t k = 0; k < key_count; k++) codes[k] = codes_at(tile, piece, first + k);
    for (size_t i = 0; i < query_count * key_count; i++) sums[i] = integers_of_zero();
    size_t i = 0;
    for (; i + WORDS <= tile->head_size; i += WORDS) {
        for (size_t k = 0; k < key_count; k++) {
            const words key = words_of_codes(codes[k] + i);
            for (size_t q = 0; q < query_count; q++) {
                integers *sum = &sums[q * key_count + k];
                *sum = add_products(*sum, key, queries->words[q] + i);
            }
        }
    }
    int32_t whole[SUMS_MAX];
    for (size_t four = 0; four < query_count * key_count; four += 4) {
        store_sums_of_integers(whole + four, sums + four);
    }
    for (size_t q = 0; q < query_count; q++) {
        memcpy(dots[q] + first, whole + q * key_count, key_count * sizeof whole[0]);
    }
    for (; i < tile->head_size; i++) {
        for (size_t j = 0; j < query_count * key_count; j++) {
            const size_t q = j / key_count;
            const size_t k = j % key_count;
            dots[q][first + k] += queries->words[q][i] * codes[k][i];
        }
    }
}

/// Computes the scores of a piece from its dot products.
TARGET_INLINE void scale_dots(
    const phi_attention_tile *tile, const word_queries *queries, const stored_piece *piece,
    const size_t query_count, int32_t dots[PHI_FEW_QUERIES_MAX][PHI_PIECE_POSITIONS]) {
    float scales[PHI_PIECE_POSITIONS];
    load_piece_scales(tile, piece, 1, scales);
    for (size_t q = 0; q < query_count; q++) {
        float *scores = tile->scores + q * tile->scores_stride + piece->first;
        for (size_t k = 0; k < piece->count; k += LANES) {
            const size_t some = piece->count - k < LANES ? piece->count - k : LANES;
            const lanes dot = lanes_of_integers(integers_load(dots[q] + k));
            const lanes scaled = lanes_multiply(dot, lanes_of(queries->scales[q]));
            store_some_floats(scores + k, lanes_multiply(scaled, lanes_load(scales + k)), some);
        }
    }
}

/// Computes the scaled dot products. Each query gets as many as the last one.
TARGET_INLINE void score_codes(
    const phi_attention_tile *tile, const size_t query_count, const size_t key_count) {
    const size_t size = phi_stored_size(PHI_INT8, tile->head_size);
    const size_t offset = tile->cached.keys_offset;
    word_queries queries;
    round_queries(tile, &queries);
    stored_pieces pieces = first_pieces(tile, PHI_INT8, query_count, offset);
    for (; pieces.now.count > 0; advance(tile, PHI_INT8, query_count, offset, &pieces)) {
        int32_t dots[PHI_FEW_QUERIES_MAX][PHI_PIECE_POSITIONS];
        const size_t end = (pieces.now.count + LANES - 1) / LANES * LANES;
        for (size_t first = 0; first < end; first += key_count) {
            prefetch(&pieces.ahead, first * size, key_count * size);
            dot_codes(tile, &queries, &pieces.now, first, query_count, key_count, dots);
        }
        scale_dots(tile, &queries, &pieces.now, query_count, dots);
    }
}

/// The weights of a piece's values for each query, multiplied by the values' scales, as words, and the
/// factor of each query's sums.
typedef struct {
    int16_t words[PHI_FEW_QUERIES_MAX][PHI_PIECE_POSITIONS];
    float scales[PHI_FEW_QUERIES_MAX];
} word_weights;

/// Rounds the weights of a piece to words.
TARGET_INLINE void round_weights(
    const phi_attention_tile *tile, const stored_piece *piece, const size_t query_count,
    word_weights *rounded) {
    float scales[PHI_PIECE_POSITIONS];
    load_piece_scales(tile, piece, PHI_VALUE_UNIT, scales);
    for (size_t q = 0; q < query_count; q++) {
        const float *scores = tile->scores + q * tile->scores_stride + piece->first;
        float weights[PHI_PIECE_POSITIONS];
        for (size_t k = 0; k < PHI_PIECE_POSITIONS; k += LANES) {
            const size_t rest = k < piece->count ? piece->count - k : 0;
            const lanes weight =
                load_some_floats(scores, PHI_FLOAT32, k, rest < LANES ? rest : LANES, 0);
            lanes_store(weights + k, lanes_multiply(weight, lanes_load(scales + k)));
        }
        const float largest =
            largest_magnitude(weights, PHI_PIECE_POSITIONS) * (1 / PHI_VALUE_UNIT);
        const lanes inverse = lanes_of(phi_word_inverse(largest) * (1 / PHI_VALUE_UNIT));
        for (size_t k = 0; k < PHI_PIECE_POSITIONS; k += LANES) {
            store_words(rounded->words[q] + k, lanes_multiply(lanes_load(weights + k), inverse));
        }
        rounded->scales[q] = phi_word_scale(largest);
    }
}

/// Adds the weighted codes of a piece to `pair_count` * WORDS numbers of each output, from element `i`
/// on. In the first pass over a piece, prefetches the piece ahead.
TARGET_INLINE void weigh_codes_piece(
    const phi_attention_tile *tile, const stored_pieces *pieces, const word_weights *weights,
    size_t i, const size_t query_count, const size_t pair_count) {
    const size_t size = phi_stored_size(PHI_INT8, tile->head_size);
    integers sums[PHI_FEW_QUERIES_MAX][4];
    for (size_t q = 0; q < query_count; q++) {
        for (size_t r = 0; r < 2 * pair_count; r++) sums[q][r] = integers_of_zero();
    }
    const int8_t *first = codes_at(tile, &pieces->now, 0);
    for (size_t k = 0; k < pieces->now.count; k += 2, first += 2 * size) {
        if (i == 0) prefetch(&pieces->ahead, k * size, 2 * size);
        const int8_t *second = k + 1 < pieces->now.count ? first + size : first;
        for (size_t p = 0; p < pair_count; p++) {
            const size_t place = i + p * WORDS;
            const code_pairs pairs = pair_codes(first + place, second + place);
            for (size_t q = 0; q < query_count; q++) {
                add_weighted(&sums[q][2 * p], pairs, weights->words[q] + k);
            }
        }
    }
    for (size_t q = 0; q < query_count; q++) {
        const lanes scale = lanes_of(weights->scales[q]);
        for (size_t r = 0; r < 2 * pair_count; r++) {
            float *output = tile->outputs[q] + i + r * LANES;
            const lanes sum = lanes_of_integers(sums[q][r]);
            lanes_store(output, lanes_multiply_add(sum, scale, lanes_load(output)));
        }
    }
}

/// Adds the weighted codes of a piece to the elements of the outputs from `i` on, one by one.
TARGET static void weigh_codes_elements(
    const phi_attention_tile *tile, const stored_piece piece, const word_weights *weights,
    size_t i) {
    for (; i < tile->head_size; i++) {
        for (size_t q = 0; q < tile->query_count; q++) {
            int32_t sum = 0;
            for (size_t k = 0; k < piece.count; k++) {
                sum += weights->words[q][k] * codes_at(tile, &piece, k)[i];
            }
            tile->outputs[q][i] += (float)sum * weights->scales[q];
        }
    }
}

/// Adds the values multiplied by the scores to the outputs.
TARGET_INLINE void weigh_codes(
    const phi_attention_tile *tile, const size_t query_count, const size_t pair_count) {
    const size_t size = tile->head_size;
    const size_t offset = tile->cached.values_offset;
    stored_pieces pieces = first_pieces(tile, PHI_INT8, query_count, offset);
    for (; pieces.now.count > 0; advance(tile, PHI_INT8, query_count, offset, &pieces)) {
        word_weights weights;
        round_weights(tile, &pieces.now, query_count, &weights);
        size_t i = 0;
        for (; i + pair_count * WORDS <= size; i += pair_count * WORDS) {
            weigh_codes_piece(tile, &pieces, &weights, i, query_count, pair_count);
        }
        for (; i + WORDS <= size; i += WORDS) {
            weigh_codes_piece(tile, &pieces, &weights, i, query_count, 1);
        }
        weigh_codes_elements(tile, pieces.now, &weights, i);
    }
}
