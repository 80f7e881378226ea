// Attention of 16 or 32 queries, with a query in each lane of a register: keys and values are converted once for all of
// them, and nothing is summed across lanes. Each query's result has the same bits as in a tile of few
// queries. A part of Attend.h.

/// Registers that have a lane for each query of a tile.
enum { GROUPS_MAX = PHI_QUERIES_MAX / LANES };

/// `count` filled up to a multiple of `power`, a power of two.
TARGET_INLINE size_t filled_up(size_t count, size_t power) {
    return (count + power - 1) / power * power;
}

/// Sets the numbers of the queries that do not see `position`, which are the first ones.
TARGET_INLINE void hide_position(
    const phi_attention_tile *tile, size_t position, float *numbers, float value) {
    for (size_t q = 0; q < tile->query_count && tile->key_counts[q] <= position; q++) {
        numbers[q] = value;
    }
}

/// The scores of key `position` for all queries.
TARGET_INLINE float *scores_at(
    const phi_attention_tile *tile, size_t position, const size_t groups) {
    return tile->scores + position * groups * LANES;
}

/// Hides `position` from the queries that do not see it, and raises the largest score of each query.
TARGET_INLINE void note_scores(
    const phi_attention_tile *tile, size_t position, const size_t groups, float *scores,
    float largest[PHI_QUERIES_MAX]) {
    if (position >= tile->key_counts[0]) {
        hide_position(tile, position, scores, -__builtin_inff());
    }
    for (size_t i = 0; i < groups * LANES; i += LANES) {
        lanes_store(largest + i, lanes_max(lanes_load(largest + i), lanes_load(scores + i)));
    }
}

/// Computes the weights of `position` from its scores, of which `maxima` are the largest of all positions, and
/// adds them to `sums`, that of position p to number p % LANES, as `exponentiate` does.
TARGET_INLINE void weigh_position(
    const phi_attention_tile *tile, size_t position, const float maxima[PHI_QUERIES_MAX],
    const size_t groups, float sums[LANES][PHI_QUERIES_MAX], float weights[PHI_QUERIES_MAX]) {
    const float *scores = scores_at(tile, position, groups);
    for (size_t i = 0; i < groups * LANES; i += LANES) {
        const lanes minus_maximum = lanes_negate(lanes_load(maxima + i));
        lanes_store(weights + i, exp_of(lanes_add(lanes_load(scores + i), minus_maximum)));
    }
    if (position >= tile->key_counts[0]) hide_position(tile, position, weights, 0);
    float *sum = sums[position % LANES];
    for (size_t i = 0; i < groups * LANES; i += LANES) {
        lanes_store(sum + i, lanes_add(lanes_load(sum + i), lanes_load(weights + i)));
    }
}

#include "AttendManyCodes.h"
#include "AttendManyFloats.h"

/// Attention of groups * LANES queries.
TARGET_INLINE void attend_in_lanes(
    const phi_attention_tile *tile, const phi_float_type type, const size_t groups) {
    const size_t columns = SUMS_OF_MANY / groups;
    float maxima[PHI_QUERIES_MAX];
    for (size_t q = 0; q < groups * LANES; q++) maxima[q] = -__builtin_inff();
    if (type == PHI_INT8) {
        score_many_codes(tile, columns, groups, maxima);
    } else {
        score_many_floats(tile, type, columns, groups, maxima);
    }
    float sums[LANES][PHI_QUERIES_MAX] = {{0}};
    float outputs[PHI_HEAD_SIZE_MAX * PHI_QUERIES_MAX];
    const size_t output_count = filled_up(tile->head_size, columns) * groups * LANES;
    memset(outputs, 0, output_count * sizeof outputs[0]);
    const size_t offset = tile->cached.values_offset;
    stored_pieces pieces = first_pieces(tile, type, tile->query_count, offset);
    for (; pieces.now.count > 0; advance(tile, type, tile->query_count, offset, &pieces)) {
        if (type == PHI_INT8) {
            weigh_many_codes(tile, &pieces, maxima, columns, groups, sums, outputs);
        } else {
            weigh_many_floats(tile, type, &pieces, maxima, columns, groups, sums, outputs);
        }
    }
    for (size_t q = 0; q < tile->query_count; q++) {
        float own_sums[LANES];
        for (size_t i = 0; i < LANES; i++) own_sums[i] = sums[i][q];
        const float factor = 1 / sum_of_lanes(lanes_load(own_sums));
        for (size_t i = 0; i < tile->head_size; i++) {
            tile->outputs[q][i] = outputs[i * groups * LANES + q] * factor;
        }
    }
}
