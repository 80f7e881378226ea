// Attention to keys and values in floats. A key or value is read and converted once for all queries of a
// tile. Sums run over the same lanes in the same order whatever the tile. A part of Attend.h.

/// dots[q * key_count + k] = queries[q] * key first + k of a piece, or its last one.
TARGET_INLINE void dot_keys(
    const phi_attention_tile *tile, const stored_piece *piece, size_t first,
    const phi_float_type type, const size_t query_count, const size_t key_count, float *dots) {
    const size_t size = tile->head_size;
    lanes sums[SUMS_MAX];
    const char *starts[8];
    for (size_t i = 0; i < query_count * key_count; i++) sums[i] = lanes_of(0);
    for (size_t k = 0; k < key_count; k++) starts[k] = stored_at(tile, type, piece, first + k);
    size_t i = 0;
    for (; i + LANES <= size; i += LANES) {
        for (size_t k = 0; k < key_count; k++) {
            const lanes key = load_floats(starts[k], type, i);
            for (size_t q = 0; q < query_count; q++) {
                lanes *sum = &sums[q * key_count + k];
                *sum = lanes_multiply_add(lanes_load(tile->queries[q] + i), key, *sum);
            }
        }
    }
    for (size_t four = 0; four < query_count * key_count; four += 4) {
        store_sums_of_lanes(dots + four, sums + four);
    }
    for (; i < size; i++) {
        for (size_t j = 0; j < query_count * key_count; j++) {
            const float key = phi_load_float(starts[j % key_count], type, i);
            dots[j] += tile->queries[j / key_count][i] * key;
        }
    }
}

/// Computes the scaled dot products. Each query gets as many as the last one.
TARGET_INLINE void score_keys(
    const phi_attention_tile *tile, const phi_float_type type, const size_t query_count,
    const size_t key_count) {
    const size_t size = phi_stored_size(type, tile->head_size);
    const size_t offset = tile->cached.keys_offset;
    stored_pieces pieces = first_pieces(tile, type, query_count, offset);
    for (; pieces.now.count > 0; advance(tile, type, query_count, offset, &pieces)) {
        for (size_t first = 0; first < pieces.now.count; first += key_count) {
            prefetch(&pieces.next, first * size, key_count * size);
            float dots[SUMS_MAX];
            dot_keys(tile, &pieces.now, first, type, query_count, key_count, dots);
            for (size_t k = 0; k < key_count && first + k < pieces.now.count; k++) {
                float *scores = tile->scores + pieces.now.first + first + k;
                for (size_t q = 0; q < query_count; q++) {
                    scores[q * tile->scores_stride] = dots[q * key_count + k] * tile->scale;
                }
            }
        }
    }
}

/// Adds the values of a piece, multiplied by the scores, to the `register_count` registers of the
/// outputs from element `i` on. Prefetches those of the next piece.
TARGET_INLINE void weigh_piece(
    const phi_attention_tile *tile, const stored_pieces *pieces, size_t i,
    const phi_float_type type, const size_t query_count, const size_t register_count) {
    const stored_piece *piece = &pieces->now;
    const size_t number_size = phi_stored_size(type, 1);
    lanes sums[PHI_FEW_QUERIES_MAX][8];
    for (size_t q = 0; q < query_count; q++) {
        for (size_t r = 0; r < register_count; r++) {
            sums[q][r] = lanes_load(tile->outputs[q] + i + r * LANES);
        }
    }
    for (size_t key = 0; key < piece->count; key++) {
        const float *scores = tile->scores + piece->first + key;
        const size_t key_offset = key * phi_stored_size(type, tile->head_size);
        const char *stored = piece->bytes + key_offset;
        prefetch(
            &pieces->next, key_offset + i * number_size, register_count * LANES * number_size);
        for (size_t r = 0; r < register_count; r++) {
            const lanes value = load_floats(stored, type, i + r * LANES);
            for (size_t q = 0; q < query_count; q++) {
                const lanes weight = lanes_of(scores[q * tile->scores_stride]);
                sums[q][r] = lanes_multiply_add(weight, value, sums[q][r]);
            }
        }
    }
    for (size_t q = 0; q < query_count; q++) {
        for (size_t r = 0; r < register_count; r++) {
            lanes_store(tile->outputs[q] + i + r * LANES, sums[q][r]);
        }
    }
}

/// Adds the values of a piece, multiplied by the scores, to the elements of the outputs from `i` on, one by
/// one.
TARGET static void weigh_elements(
    const phi_attention_tile *tile, const stored_piece piece, size_t i) {
    const phi_float_type type = tile->cached.type;
    for (; i < tile->head_size; i++) {
        for (size_t q = 0; q < tile->query_count; q++) {
            const float *scores = tile->scores + q * tile->scores_stride + piece.first;
            for (size_t k = 0; k < piece.count; k++) {
                const char *stored = stored_at(tile, type, &piece, k);
                tile->outputs[q][i] += scores[k] * phi_load_float(stored, type, i);
            }
        }
    }
}

/// Adds the values multiplied by the scores to the outputs. Works piece by piece, so that one that is read
/// in several passes stays in the first-level cache.
TARGET_INLINE void weigh_values(
    const phi_attention_tile *tile, const phi_float_type type, const size_t query_count,
    const size_t register_count) {
    const size_t size = tile->head_size;
    const size_t offset = tile->cached.values_offset;
    stored_pieces pieces = first_pieces(tile, type, query_count, offset);
    for (; pieces.now.count > 0; advance(tile, type, query_count, offset, &pieces)) {
        size_t i = 0;
        for (; i + register_count * LANES <= size; i += register_count * LANES) {
            weigh_piece(tile, &pieces, i, type, query_count, register_count);
        }
        for (; i + 4 * LANES <= size; i += 4 * LANES) {
            weigh_piece(tile, &pieces, i, type, query_count, 4);
        }
        for (; i + LANES <= size; i += LANES) {
            weigh_piece(tile, &pieces, i, type, query_count, 1);
        }
        weigh_elements(tile, pieces.now, i);
    }
}
