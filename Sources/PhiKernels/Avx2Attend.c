// Attention in AVX2. A key or value is read and converted once for all queries of a tile. Whatever the
// tile, what a query gets is summed over the same lanes in the same order.

#if defined(__x86_64__)

#include "Avx2.h"

/// The first number of the keys or values of page `page`.
AVX2_INLINE const char *page_start(const phi_attention_tile *tile, size_t offset, size_t page) {
    return (const char *)tile->cached.pages[page] + offset;
}

/// The sums of four registers' lanes, each added in the order of `sum_of_lanes`.
AVX2_INLINE __m128 sums_of_lanes(const __m256 lanes[4]) {
    __m128 four[4];
    for (int i = 0; i < 4; i++) {
        four[i] = _mm_add_ps(
            _mm256_castps256_ps128(lanes[i]), _mm256_extractf128_ps(lanes[i], 1));
    }
    const __m128 first =
        _mm_add_ps(_mm_movelh_ps(four[0], four[1]), _mm_movehl_ps(four[1], four[0]));
    const __m128 second =
        _mm_add_ps(_mm_movelh_ps(four[2], four[3]), _mm_movehl_ps(four[3], four[2]));
    return _mm_add_ps(_mm_shuffle_ps(first, second, 0x88), _mm_shuffle_ps(first, second, 0xDD));
}

/// dots[q * key_count + k] = queries[q] * key k of a page's `keys`, from `first` on; keys beyond
/// `last` are that one again.
AVX2_INLINE void dot_keys(
    const phi_attention_tile *tile, const char *keys, size_t first, size_t last,
    const phi_float_type type, const size_t query_count, const size_t key_count, float *dots) {
    const size_t size = tile->head_size;
    // Twelve registers at most, a whole number of fours.
    __m256 sums[12];
    size_t starts[8];
    for (size_t i = 0; i < query_count * key_count; i++) sums[i] = _mm256_setzero_ps();
    for (size_t k = 0; k < key_count; k++) {
        starts[k] = (first + k < last ? first + k : last) * size;
    }
    size_t i = 0;
    for (; i + LANES <= size; i += LANES) {
        for (size_t k = 0; k < key_count; k++) {
            const __m256 key = load_floats(keys, type, starts[k] + i);
            for (size_t q = 0; q < query_count; q++) {
                __m256 *sum = &sums[q * key_count + k];
                *sum = _mm256_fmadd_ps(_mm256_loadu_ps(tile->queries[q] + i), key, *sum);
            }
        }
    }
    for (size_t four = 0; four < query_count * key_count; four += 4) {
        _mm_storeu_ps(dots + four, sums_of_lanes(sums + four));
    }
    for (; i < size; i++) {
        for (size_t j = 0; j < query_count * key_count; j++) {
            const float key = phi_load_float(keys, type, starts[j % key_count] + i);
            dots[j] += tile->queries[j / key_count][i] * key;
        }
    }
}

/// Fills the scores with scaled dot products, as many for each query as for the last one.
AVX2_INLINE void score_keys(
    const phi_attention_tile *tile, const phi_float_type type, const size_t query_count,
    const size_t key_count) {
    const size_t page_positions = tile->cached.page_positions;
    const size_t end = tile->key_counts[query_count - 1];
    for (size_t start = 0; start < end; start += page_positions) {
        const char *keys = page_start(tile, tile->cached.keys_offset, start / page_positions);
        const size_t some = end - start < page_positions ? end - start : page_positions;
        for (size_t first = 0; first < some; first += key_count) {
            float dots[12];
            dot_keys(tile, keys, first, some - 1, type, query_count, key_count, dots);
            for (size_t q = 0; q < query_count; q++) {
                float *scores = tile->scores + q * tile->scores_stride + start + first;
                for (size_t k = 0; k < key_count && first + k < some; k++) {
                    scores[k] = dots[q * key_count + k] * tile->scale;
                }
            }
        }
    }
}

/// Replaces each score by exp(score - the largest) and returns their sum.
AVX2_INLINE float exponentiate(float *scores, size_t count) {
    const float nothing = -__builtin_inff();
    __m256 largest = _mm256_set1_ps(nothing);
    for (size_t key = 0; key < count; key += LANES) {
        const size_t some = count - key < LANES ? count - key : LANES;
        largest = _mm256_max_ps(
            largest, load_some_floats(scores + key, PHI_FLOAT32, 0, some, nothing));
    }
    __m128 four = _mm_max_ps(
        _mm256_castps256_ps128(largest), _mm256_extractf128_ps(largest, 1));
    four = _mm_max_ps(four, _mm_movehl_ps(four, four));
    four = _mm_max_ps(four, _mm_movehdup_ps(four));
    const __m256 maximum = _mm256_broadcastss_ps(four);

    __m256 sum = _mm256_setzero_ps();
    for (size_t key = 0; key < count; key += LANES) {
        const size_t some = count - key < LANES ? count - key : LANES;
        // Filled with what exponentiates to next to nothing beside the maximum's 1.
        const __m256 score = load_some_floats(scores + key, PHI_FLOAT32, 0, some, nothing);
        const __m256 weight = exp_of(_mm256_sub_ps(score, maximum));
        if (some == LANES) {
            _mm256_storeu_ps(scores + key, weight);
        } else {
            store_some_floats(scores + key, weight, some);
        }
        sum = _mm256_add_ps(sum, weight);
    }
    return sum_of_lanes(sum);
}

/// The `register_count` registers of the outputs from element `i` on: the values weighed by the
/// scores, times each query's factor.
AVX2_INLINE void weigh_piece(
    const phi_attention_tile *tile, size_t i, const float *factors, const phi_float_type type,
    const size_t query_count, const size_t register_count) {
    const size_t page_positions = tile->cached.page_positions;
    const size_t end = tile->key_counts[query_count - 1];
    __m256 sums[PHI_QUERIES_MAX][8];
    for (size_t q = 0; q < query_count; q++) {
        for (size_t r = 0; r < register_count; r++) sums[q][r] = _mm256_setzero_ps();
    }
    for (size_t start = 0; start < end; start += page_positions) {
        const char *values = page_start(tile, tile->cached.values_offset, start / page_positions);
        const size_t some = end - start < page_positions ? end - start : page_positions;
        for (size_t key = 0; key < some; key++) {
            const float *scores = tile->scores + start + key;
            for (size_t r = 0; r < register_count; r++) {
                const __m256 value =
                    load_floats(values, type, key * tile->head_size + i + r * LANES);
                for (size_t q = 0; q < query_count; q++) {
                    const __m256 weight = _mm256_broadcast_ss(scores + q * tile->scores_stride);
                    sums[q][r] = _mm256_fmadd_ps(weight, value, sums[q][r]);
                }
            }
        }
    }
    for (size_t q = 0; q < query_count; q++) {
        for (size_t r = 0; r < register_count; r++) {
            _mm256_storeu_ps(
                tile->outputs[q] + i + r * LANES,
                _mm256_mul_ps(sums[q][r], _mm256_set1_ps(factors[q])));
        }
    }
}

/// Element `i` of the outputs, for head sizes that are no whole number of registers.
AVX2 static void weigh_element(const phi_attention_tile *tile, size_t i, const float *factors) {
    for (size_t q = 0; q < tile->query_count; q++) {
        float sum = 0;
        for (size_t key = 0; key < tile->key_counts[q]; key++) {
            const size_t page_positions = tile->cached.page_positions;
            const char *values =
                page_start(tile, tile->cached.values_offset, key / page_positions);
            const size_t index = key % page_positions * tile->head_size + i;
            sum += tile->scores[q * tile->scores_stride + key] *
                   phi_load_float(values, tile->cached.type, index);
        }
        tile->outputs[q][i] = sum * factors[q];
    }
}

AVX2_INLINE void attend(
    const phi_attention_tile *tile, const phi_float_type type, const size_t query_count,
    const size_t key_count, const size_t register_count) {
    const size_t size = tile->head_size;
    score_keys(tile, type, query_count, key_count);
    float factors[PHI_QUERIES_MAX];
    for (size_t q = 0; q < query_count; q++) {
        float *scores = tile->scores + q * tile->scores_stride;
        factors[q] = 1 / exponentiate(scores, tile->key_counts[q]);
        // What later queries see and this one does not weighs nothing.
        for (size_t key = tile->key_counts[q]; key < tile->key_counts[query_count - 1]; key++) {
            scores[key] = 0;
        }
    }
    size_t i = 0;
    for (; i + register_count * LANES <= size; i += register_count * LANES) {
        weigh_piece(tile, i, factors, type, query_count, register_count);
    }
    for (; i + LANES <= size; i += LANES) {
        weigh_piece(tile, i, factors, type, query_count, 1);
    }
    for (; i < size; i++) weigh_element(tile, i, factors);
}

/// Constants for each count of queries: keys and parts of the output that share what is loaded and
/// leave the sums in registers.
AVX2_INLINE void attend_typed(const phi_attention_tile *tile, const phi_float_type type) {
    switch (tile->query_count) {
        case 1: attend(tile, type, 1, 8, 4); break;
        case 2: attend(tile, type, 2, 4, 4); break;
        case 3: attend(tile, type, 3, 4, 4); break;
        default: attend(tile, type, 4, 2, 2); break;
    }
}

AVX2 void phi_avx2_attend(const phi_attention_tile *tile) {
    if (tile->cached.type == PHI_FLOAT16) {
        attend_typed(tile, PHI_FLOAT16);
    } else {
        attend_typed(tile, PHI_FLOAT32);
    }
}

#endif
