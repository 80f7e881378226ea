// Attention for an instruction set: see Lanes.h. A key or value is read and converted once for all
// queries of a tile. Sums run over the same lanes in the same order whatever the tile, so the
// result of a query does not depend on it. A file that includes this also defines ATTEND, the
// function's name, and for a tile of four queries how many keys (KEYS_OF_FOUR, at most 4) and how many
// registers of the output (REGISTERS_OF_FOUR) it processes together.

#include "BlockSparsity.h"
#include "Lanes.h"

/// Maximum number of dot products at once, a multiple of four.
enum { SUMS_MAX = 16 };

/// Keys and values of the positions first <= p < first + count, in one page.
typedef struct {
    size_t first;
    size_t count;
} page_part;

/// The part that the tile's queries see first from position `from` on; empty if there is none.
TARGET_INLINE page_part part_from(
    const phi_attention_tile *tile, const size_t query_count, size_t from) {
    const phi_keys keys = phi_seen_keys(tile, 0, query_count, from);
    const size_t page_positions = tile->cached.page_positions;
    const size_t page_end = (keys.start / page_positions + 1) * page_positions;
    const size_t end = keys.end < page_end ? keys.end : page_end;
    return (page_part){keys.start, end - keys.start};
}

/// The stored key or value of position `position`.
TARGET_INLINE const char *stored_at(
    const phi_attention_tile *tile, size_t offset, size_t position, const phi_float_type type) {
    const size_t page_positions = tile->cached.page_positions;
    return (const char *)tile->cached.pages[position / page_positions] + offset +
           position % page_positions * phi_stored_size(type, tile->head_size);
}

/// Prefetches `count` bytes of the next part into the second-level cache while this one is
/// processed: pages are not contiguous, so the hardware prefetcher stops at the end of each.
/// Doubles the speed when pages come from memory.
TARGET_INLINE void ask_ahead(const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i += CACHE_LINE) __builtin_prefetch(bytes + i, 0, 2);
}

/// dots[q * key_count + k] = queries[q] * key k of `keys`, from `first` on, not multiplied by the key's
/// scale; keys after `last` repeat `last`.
TARGET_INLINE void dot_keys(
    const phi_attention_tile *tile, const char *keys, size_t first, size_t last,
    const phi_float_type type, const size_t query_count, const size_t key_count, float *dots) {
    const size_t size = tile->head_size;
    lanes sums[SUMS_MAX];
    const char *starts[8];
    for (size_t i = 0; i < query_count * key_count; i++) sums[i] = lanes_of(0);
    for (size_t k = 0; k < key_count; k++) {
        const size_t key = first + k < last ? first + k : last;
        starts[k] = keys + key * phi_stored_size(type, size);
    }
    size_t i = 0;
    for (; i + LANES <= size; i += LANES) {
        for (size_t k = 0; k < key_count; k++) {
            const lanes key = load_stored(starts[k], type, i);
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
            const float key = phi_load_stored(starts[j % key_count], type, i);
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
    page_part part = part_from(tile, query_count, 0);
    while (part.count > 0) {
        const page_part next_part = part_from(tile, query_count, part.first + part.count);
        const char *keys = stored_at(tile, offset, part.first, type);
        const char *next =
            next_part.count > 0 ? stored_at(tile, offset, next_part.first, type) : keys;
        for (size_t first = 0; first < part.count; first += key_count) {
            ask_ahead(next + first * size, key_count * size);
            float dots[SUMS_MAX];
            dot_keys(tile, keys, first, part.count - 1, type, query_count, key_count, dots);
            for (size_t k = 0; k < key_count && first + k < part.count; k++) {
                const char *key = keys + (first + k) * size;
                const float scale = tile->scale * phi_stored_scale(key, type, tile->head_size);
                float *scores = tile->scores + part.first + first + k;
                for (size_t q = 0; q < query_count; q++) {
                    scores[q * tile->scores_stride] = dots[q * key_count + k] * scale;
                }
            }
        }
        part = next_part;
    }
}

/// The keys that query `query` sees first from position `from` on.
TARGET_INLINE phi_keys own_keys(const phi_attention_tile *tile, size_t query, size_t from) {
    return phi_seen_keys(tile, query, query + 1, from);
}

/// Replaces each score of keys that query `query` sees by exp(score - maximum) and returns their
/// sum.
TARGET_INLINE float exponentiate(const phi_attention_tile *tile, size_t query, float *scores) {
    const float nothing = -__builtin_inff();
    lanes largest = lanes_of(nothing);
    for (phi_keys keys = own_keys(tile, query, 0); keys.start < keys.end;
         keys = own_keys(tile, query, keys.end)) {
        for (size_t key = keys.start; key < keys.end; key += LANES) {
            const size_t some = keys.end - key < LANES ? keys.end - key : LANES;
            largest = lanes_max(
                largest, load_some_floats(scores + key, PHI_FLOAT32, 0, some, nothing));
        }
    }
    const lanes minus_maximum = lanes_of(-largest_of_lanes(largest));

    lanes sum = lanes_of(0);
    for (phi_keys keys = own_keys(tile, query, 0); keys.start < keys.end;
         keys = own_keys(tile, query, keys.end)) {
        for (size_t key = keys.start; key < keys.end; key += LANES) {
            const size_t some = keys.end - key < LANES ? keys.end - key : LANES;
            // The filler's exponential is negligible beside that of the maximum, 1.
            const lanes score = load_some_floats(scores + key, PHI_FLOAT32, 0, some, nothing);
            const lanes weight = exp_of(lanes_add(score, minus_maximum));
            store_some_floats(scores + key, weight, some);
            sum = lanes_add(sum, weight);
        }
    }
    return sum_of_lanes(sum);
}

/// Multiplies the weights of values that query `query` sees by the scales of their codes.
TARGET_INLINE void scale_weights(const phi_attention_tile *tile, size_t query, float *weights) {
    for (phi_keys keys = own_keys(tile, query, 0); keys.start < keys.end;
         keys = own_keys(tile, query, keys.end)) {
        for (size_t key = keys.start; key < keys.end; key++) {
            const char *stored = stored_at(tile, tile->cached.values_offset, key, PHI_INT8);
            weights[key] *= phi_stored_scale(stored, PHI_INT8, tile->head_size);
        }
    }
}

/// Adds the values of a part, multiplied by the scores, to the `register_count` registers of the
/// outputs from element `i` on. Prefetches those of the next part.
TARGET_INLINE void weigh_piece(
    const phi_attention_tile *tile, page_part part, page_part next_part, size_t i,
    const phi_float_type type, const size_t query_count, const size_t register_count) {
    const size_t number_size = phi_stored_size(type, 2) - phi_stored_size(type, 1);
    const size_t offset = tile->cached.values_offset;
    const char *values = stored_at(tile, offset, part.first, type);
    const char *next =
        next_part.count > 0 ? stored_at(tile, offset, next_part.first, type) : values;
    lanes sums[PHI_QUERIES_MAX][8];
    for (size_t q = 0; q < query_count; q++) {
        for (size_t r = 0; r < register_count; r++) {
            sums[q][r] = lanes_load(tile->outputs[q] + i + r * LANES);
        }
    }
    for (size_t key = 0; key < part.count; key++) {
        const float *scores = tile->scores + part.first + key;
        const size_t key_offset = key * phi_stored_size(type, tile->head_size);
        const char *stored = values + key_offset;
        ask_ahead(next + key_offset + i * number_size, register_count * LANES * number_size);
        for (size_t r = 0; r < register_count; r++) {
            const lanes value = load_stored(stored, type, i + r * LANES);
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

/// Computes the full registers of the outputs: the values multiplied by the scores and by each
/// query's factor. Works page by page, so that a page that is read in several passes stays in the
/// first-level cache.
TARGET_INLINE void weigh_values(
    const phi_attention_tile *tile, const float *factors, const phi_float_type type,
    const size_t query_count, const size_t register_count) {
    const size_t whole = tile->head_size / LANES * LANES;
    for (size_t q = 0; q < query_count; q++) {
        memset(tile->outputs[q], 0, whole * sizeof(float));
    }
    page_part part = part_from(tile, query_count, 0);
    while (part.count > 0) {
        const page_part next = part_from(tile, query_count, part.first + part.count);
        size_t i = 0;
        for (; i + register_count * LANES <= whole; i += register_count * LANES) {
            weigh_piece(tile, part, next, i, type, query_count, register_count);
        }
        for (; i < whole; i += LANES) weigh_piece(tile, part, next, i, type, query_count, 1);
        part = next;
    }
    for (size_t q = 0; q < query_count; q++) {
        for (size_t i = 0; i < whole; i += LANES) {
            float *output = tile->outputs[q] + i;
            lanes_store(output, lanes_multiply(lanes_load(output), lanes_of(factors[q])));
        }
    }
}

/// Computes element `i` of the outputs, for head sizes that are not a multiple of the register
/// size.
TARGET static void weigh_element(const phi_attention_tile *tile, size_t i, const float *factors) {
    for (size_t q = 0; q < tile->query_count; q++) {
        float sum = 0;
        for (phi_keys keys = own_keys(tile, q, 0); keys.start < keys.end;
             keys = own_keys(tile, q, keys.end)) {
            for (size_t key = keys.start; key < keys.end; key++) {
                const char *stored =
                    stored_at(tile, tile->cached.values_offset, key, tile->cached.type);
                sum += tile->scores[q * tile->scores_stride + key] *
                       phi_load_stored(stored, tile->cached.type, i);
            }
        }
        tile->outputs[q][i] = sum * factors[q];
    }
}

TARGET_INLINE void attend(
    const phi_attention_tile *tile, const phi_float_type type, const size_t query_count,
    const size_t key_count, const size_t register_count) {
    const size_t size = tile->head_size;
    score_keys(tile, type, query_count, key_count);
    float factors[PHI_QUERIES_MAX];
    for (size_t q = 0; q < query_count; q++) {
        float *scores = tile->scores + q * tile->scores_stride;
        factors[q] = 1 / exponentiate(tile, q, scores);
        if (type == PHI_INT8) scale_weights(tile, q, scores);
        phi_hide_blocks(tile, q, scores);
        // Keys that only later queries may see have weight zero.
        for (size_t key = tile->key_counts[q]; key < tile->key_counts[query_count - 1]; key++) {
            scores[key] = 0;
        }
    }
    weigh_values(tile, factors, type, query_count, register_count);
    for (size_t i = size / LANES * LANES; i < size; i++) weigh_element(tile, i, factors);
}

/// Passes constants for each number of queries: how many keys, and how many registers of the
/// output, are processed together while the sums stay in registers.
TARGET_INLINE void attend_typed(const phi_attention_tile *tile, const phi_float_type type) {
    switch (tile->query_count) {
        case 1: attend(tile, type, 1, 8, 4); break;
        case 2: attend(tile, type, 2, 4, 4); break;
        case 3: attend(tile, type, 3, 4, 4); break;
        default: attend(tile, type, 4, KEYS_OF_FOUR, REGISTERS_OF_FOUR); break;
    }
}

TARGET void ATTEND(const phi_attention_tile *tile) {
    switch (tile->cached.type) {
        case PHI_INT8: attend_typed(tile, PHI_INT8); break;
        case PHI_FLOAT16: attend_typed(tile, PHI_FLOAT16); break;
        default: attend_typed(tile, PHI_FLOAT32); break;
    }
}
