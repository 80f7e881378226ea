// Attention as it is defined: see Scalar.c.

#include "FloatTypes.h"
#include "KernelTables.h"
#include "SeenKeys.h"

/// The key or value of `position`.
static const char *stored_at(const phi_attention_tile *tile, size_t offset, size_t position) {
    const phi_cached_head *cached = &tile->cached;
    const char *page = cached->pages[position / cached->page_positions];
    const size_t size = phi_stored_size(cached->type, tile->head_size);
    return page + offset + position % cached->page_positions * size;
}

static bool sees(const phi_attention_tile *tile, size_t query, size_t key) {
    return !tile->sparsity || phi_sees_block(tile, query, key / tile->sparsity->block_positions);
}

static float largest_of(const float *values, size_t count) {
    float largest = 0;
    for (size_t i = 0; i < count; i++) largest = phi_larger_magnitude(largest, values[i]);
    return largest;
}

/// The scaled dot product of a query and a key.
static float score(const phi_attention_tile *tile, size_t query, const char *key) {
    double dot = 0;
    for (size_t i = 0; i < tile->head_size; i++) {
        dot += (double)tile->queries[query][i] * phi_load_float(key, tile->cached.type, i);
    }
    return (float)dot * tile->scale;
}

/// The scaled dot product of a query, rounded to words, and the codes of a key.
static float score_codes(const phi_attention_tile *tile, size_t query, const char *key) {
    const float largest = largest_of(tile->queries[query], tile->head_size);
    const float inverse = phi_word_inverse(largest);
    int32_t dot = 0;
    for (size_t i = 0; i < tile->head_size; i++) {
        dot += phi_word(tile->queries[query][i] * inverse) * ((const int8_t *)key)[i];
    }
    const float scale = phi_word_scale(largest) * tile->scale;
    return (float)dot * scale * phi_stored_scale(key, PHI_INT8, tile->head_size);
}

/// Multiplies the weights of a query by the scales of values of 8 bits, and rounds those of each piece to
/// multiples of a word.
static void round_weights(const phi_attention_tile *tile, size_t query, float *weights) {
    phi_keys keys = phi_seen_keys(tile, query, query + 1, 0);
    while (keys.start < keys.end) {
        const size_t piece_end = phi_piece_end(tile, keys.start);
        const size_t end = keys.end < piece_end ? keys.end : piece_end;
        for (size_t key = keys.start; key < end; key++) {
            const char *value = stored_at(tile, tile->cached.values_offset, key);
            weights[key] *= phi_stored_scale(value, PHI_INT8, tile->head_size);
        }
        const float largest = largest_of(weights + keys.start, end - keys.start);
        const float inverse = phi_word_inverse(largest);
        for (size_t key = keys.start; key < end; key++) {
            weights[key] = phi_word(weights[key] * inverse) * phi_word_scale(largest);
        }
        keys = phi_seen_keys(tile, query, query + 1, end);
    }
}

static void attend_query(const phi_attention_tile *tile, size_t query) {
    const bool has_codes = tile->cached.type == PHI_INT8;
    float *scores = tile->scores + query * tile->scores_stride;
    const size_t key_count = tile->key_counts[query];
    float maximum = -INFINITY;
    for (size_t key = 0; key < key_count; key++) {
        if (!sees(tile, query, key)) continue;
        const char *stored = stored_at(tile, tile->cached.keys_offset, key);
        scores[key] =
            has_codes ? score_codes(tile, query, stored) : score(tile, query, stored);
        maximum = fmaxf(maximum, scores[key]);
    }
    // Minus the maximum, so that no exponential overflows.
    double sum = 0;
    for (size_t key = 0; key < key_count; key++) {
        scores[key] = sees(tile, query, key) ? expf(scores[key] - maximum) : 0;
        sum += scores[key];
    }
    if (has_codes) round_weights(tile, query, scores);
    for (size_t i = 0; i < tile->head_size; i++) {
        double weighted = 0;
        for (size_t key = 0; key < key_count; key++) {
            if (!sees(tile, query, key)) continue;
            const char *value = stored_at(tile, tile->cached.values_offset, key);
            weighted += (double)scores[key] * phi_load_stored(value, tile->cached.type, i);
        }
        tile->outputs[query][i] = (float)(weighted / sum);
    }
}

void phi_scalar_attend(const phi_attention_tile *tile) {
    for (size_t query = 0; query < tile->query_count; query++) attend_query(tile, query);
}
