// Attention of many queries to keys and values in floats, as AttendFloats.h computes it: with the same sums, added in
// the same order. A part of AttendManyQueries.h.

/// Adds `count` products to each sum: sums[c][g] is that of the queries of register g, which are at numbers + i *
/// number_stride, and the factors at factors + c * column_stride + i * factor_stride.
TARGET_INLINE void add_float_products(
    const float *numbers, size_t number_stride, size_t count, const float *factors,
    size_t column_stride, size_t factor_stride, const size_t columns, const size_t groups,
    lanes sums[SUMS_OF_MANY][GROUPS_MAX]) {
    // Of its own, so that it stays in registers.
    lanes kept[SUMS_OF_MANY][GROUPS_MAX];
    for (size_t c = 0; c < columns; c++) {
        for (size_t g = 0; g < groups; g++) kept[c][g] = sums[c][g];
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < columns; c++) {
            const lanes factor = lanes_of(factors[c * column_stride + i * factor_stride]);
            for (size_t g = 0; g < groups; g++) {
                const lanes number = lanes_load(numbers + i * number_stride + g * LANES);
                kept[c][g] = lanes_multiply_add(number, factor, kept[c][g]);
            }
        }
    }
    for (size_t c = 0; c < columns; c++) {
        for (size_t g = 0; g < groups; g++) sums[c][g] = kept[c][g];
    }
}

/// Converts `size` numbers of a type, and zeros up to `row`.
TARGET_INLINE void convert_floats(
    const char *stored, const phi_float_type type, size_t size, size_t row, float *target) {
    size_t i = 0;
    for (; i + LANES <= size; i += LANES) lanes_store(target + i, load_floats(stored, type, i));
    for (; i < size; i++) target[i] = phi_load_float(stored, type, i);
    for (; i < row; i++) target[i] = 0;
}

/// numbers[i * groups * LANES + q] = number i of query q
TARGET static void turn_queries(
    const phi_attention_tile *tile, const size_t groups, float *numbers) {
    for (size_t q = 0; q < tile->query_count; q++) {
        for (size_t i = 0; i < tile->head_size; i++) {
            numbers[i * groups * LANES + q] = tile->queries[q][i];
        }
    }
}

/// dots[c][g] = the dot products of the queries of register g and key c. In a tile of few queries each lane sums
/// every LANES-th product of a query, and `sum_of_lanes` adds the lanes. Here these sums are computed one after
/// the other, and added as soon as both are there.
TARGET_INLINE void dot_many_floats(
    const phi_attention_tile *tile, const float *queries, const float *keys,
    const size_t columns, const size_t groups, lanes dots[SUMS_OF_MANY][GROUPS_MAX]) {
    const size_t size = tile->head_size;
    const size_t row = groups * LANES;
    lanes pending[LANES][SUMS_OF_MANY][GROUPS_MAX];
// So that what is pending has constant places.
#pragma clang loop unroll(full)
    for (size_t n = 0; n < LANES; n++) {
        const size_t lane = lane_of_sum[n];
        for (size_t c = 0; c < columns; c++) {
            for (size_t g = 0; g < groups; g++) dots[c][g] = lanes_of(0);
        }
        add_float_products(
            queries + lane * row, LANES * row, size / LANES, keys + lane, size, LANES,
            columns, groups, dots);
        // As a binary counter carries.
        size_t level = 0;
        for (; n >> level & 1; level++) {
            for (size_t c = 0; c < columns; c++) {
                for (size_t g = 0; g < groups; g++) {
                    dots[c][g] = lanes_add(pending[level][c][g], dots[c][g]);
                }
            }
        }
        if (n + 1 == LANES) break;
        for (size_t c = 0; c < columns; c++) {
            for (size_t g = 0; g < groups; g++) pending[level][c][g] = dots[c][g];
        }
    }
    const size_t whole = size / LANES * LANES;
    add_float_products(
        queries + whole * row, row, size - whole, keys + whole, size, 1, columns, groups,
        dots);
}

/// Computes the scaled dot products, [positions, groups * LANES], and raises the largest of each query.
TARGET_INLINE void score_many_floats(
    const phi_attention_tile *tile, const phi_float_type type, const size_t columns,
    const size_t groups, float largest[PHI_QUERIES_MAX]) {
    const size_t size = tile->head_size;
    const size_t stored_size = phi_stored_size(type, size);
    const size_t offset = tile->cached.keys_offset;
    float queries[PHI_HEAD_SIZE_MAX * PHI_QUERIES_MAX];
    turn_queries(tile, groups, queries);
    stored_pieces pieces = first_pieces(tile, type, tile->query_count, offset);
    for (; pieces.now.count > 0; advance(tile, type, tile->query_count, offset, &pieces)) {
        const stored_piece *piece = &pieces.now;
        for (size_t first = 0; first < piece->count; first += columns) {
            prefetch(&pieces.next, first * stored_size, columns * stored_size);
            float keys[SUMS_OF_MANY * PHI_HEAD_SIZE_MAX];
            for (size_t c = 0; c < columns; c++) {
                const char *stored = stored_at(tile, type, piece, first + c);
                convert_floats(stored, type, size, size, keys + c * size);
            }
            lanes dots[SUMS_OF_MANY][GROUPS_MAX];
            dot_many_floats(tile, queries, keys, columns, groups, dots);
            for (size_t c = 0; c < columns && first + c < piece->count; c++) {
                const size_t position = piece->first + first + c;
                float *scores = scores_at(tile, position, groups);
                for (size_t g = 0; g < groups; g++) {
                    const lanes score = lanes_multiply(dots[c][g], lanes_of(tile->scale));
                    lanes_store(scores + g * LANES, score);
                }
                note_scores(tile, position, groups, scores, largest);
            }
        }
    }
}

/// Adds the values of a piece, multiplied by their weights, to `outputs`, [head_size filled up, groups * LANES],
/// and the weights to `sums`.
TARGET_INLINE void weigh_many_floats(
    const phi_attention_tile *tile, const phi_float_type type, const stored_pieces *pieces,
    const float maxima[PHI_QUERIES_MAX], const size_t columns, const size_t groups,
    float sums[LANES][PHI_QUERIES_MAX], float *outputs) {
    const size_t size = tile->head_size;
    const size_t stored_size = phi_stored_size(type, size);
    const size_t row = filled_up(size, columns);
    const stored_piece *piece = &pieces->now;
    float weights[PHI_PIECE_POSITIONS][PHI_QUERIES_MAX];
    float values[PHI_PIECE_POSITIONS * PHI_HEAD_SIZE_MAX];
    for (size_t k = 0; k < piece->count; k++) {
        prefetch(&pieces->next, k * stored_size, stored_size);
        weigh_position(tile, piece->first + k, maxima, groups, sums, weights[k]);
        convert_floats(stored_at(tile, type, piece, k), type, size, row, values + k * row);
    }
    for (size_t i = 0; i < size; i += columns) {
        lanes products[SUMS_OF_MANY][GROUPS_MAX];
        float *target = outputs + i * groups * LANES;
        for (size_t c = 0; c < columns; c++) {
            for (size_t g = 0; g < groups; g++) {
                products[c][g] = lanes_load(target + (c * groups + g) * LANES);
            }
        }
        add_float_products(
            weights[0], PHI_QUERIES_MAX, piece->count, values + i, 1, row, columns, groups,
            products);
        for (size_t c = 0; c < columns; c++) {
            for (size_t g = 0; g < groups; g++) {
                lanes_store(target + (c * groups + g) * LANES, products[c][g]);
            }
        }
    }
}
