// Attention of one query head in AVX2.

#if defined(__x86_64__)

#include "Avx2.h"

enum {
    /// Keys whose dot products run side by side.
    KEYS = 4,
    /// Registers of a piece of the output, summed over all keys at a time.
    PIECE = 4,
};

/// The dot products of `query` with four keys.
AVX2_INLINE void dot_four(
    const float *query, const float *const keys[KEYS], size_t size, float dots[KEYS]) {
    __m256 sums[KEYS];
    for (int k = 0; k < KEYS; k++) sums[k] = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + LANES <= size; i += LANES) {
        const __m256 x = _mm256_loadu_ps(query + i);
        for (int k = 0; k < KEYS; k++) {
            sums[k] = _mm256_fmadd_ps(x, _mm256_loadu_ps(keys[k] + i), sums[k]);
        }
    }
    for (int k = 0; k < KEYS; k++) {
        dots[k] = sum_of_lanes(sums[k]);
        for (size_t rest = i; rest < size; rest++) dots[k] += query[rest] * keys[k][rest];
    }
}

/// Fills the scores with the scaled dot products and returns the largest.
AVX2_INLINE float score_keys(const phi_attention_head *head) {
    const size_t size = head->head_size;
    float maximum = -__builtin_inff();
    for (size_t key = 0; key < head->key_count; key += KEYS) {
        const float *keys[KEYS];
        for (size_t k = 0; k < KEYS; k++) {
            // Beyond the end, the last key again.
            const size_t index = key + k < head->key_count ? key + k : head->key_count - 1;
            keys[k] = head->keys + index * size;
        }
        float dots[KEYS];
        dot_four(head->query, keys, size, dots);
        for (size_t k = 0; k < KEYS && key + k < head->key_count; k++) {
            const float score = dots[k] * head->scale;
            head->scores[key + k] = score;
            maximum = score > maximum ? score : maximum;
        }
    }
    return maximum;
}

/// Replaces each score by exp(score - maximum) and returns their sum.
AVX2_INLINE float exponentiate(const phi_attention_head *head, float maximum) {
    const __m256 shift = _mm256_set1_ps(maximum);
    __m256 sum = _mm256_setzero_ps();
    size_t key = 0;
    for (; key + LANES <= head->key_count; key += LANES) {
        const __m256 score = _mm256_loadu_ps(head->scores + key);
        const __m256 weight = exp_of(_mm256_sub_ps(score, shift));
        _mm256_storeu_ps(head->scores + key, weight);
        sum = _mm256_add_ps(sum, weight);
    }
    if (key < head->key_count) {
        const size_t some = head->key_count - key;
        // Filled with what exponentiates to next to nothing beside the maximum's 1.
        const __m256 score = load_some_floats(
            head->scores, PHI_FLOAT32, key, some, -__builtin_inff());
        const __m256 weight = exp_of(_mm256_sub_ps(score, shift));
        store_some_floats(head->scores + key, weight, some);
        sum = _mm256_add_ps(sum, weight);
    }
    return sum_of_lanes(sum);
}

/// output = sum(scores * values) * factor.
AVX2_INLINE void weigh_values(const phi_attention_head *head, float factor) {
    const size_t size = head->head_size;
    size_t i = 0;
    for (; i + PIECE * LANES <= size; i += PIECE * LANES) {
        __m256 sums[PIECE];
        for (int p = 0; p < PIECE; p++) sums[p] = _mm256_setzero_ps();
        for (size_t key = 0; key < head->key_count; key++) {
            const __m256 weight = _mm256_set1_ps(head->scores[key]);
            const float *values = head->values + key * size + i;
            for (int p = 0; p < PIECE; p++) {
                sums[p] = _mm256_fmadd_ps(weight, _mm256_loadu_ps(values + p * LANES), sums[p]);
            }
        }
        for (int p = 0; p < PIECE; p++) {
            _mm256_storeu_ps(
                head->output + i + p * LANES, _mm256_mul_ps(sums[p], _mm256_set1_ps(factor)));
        }
    }
    for (; i < size; i++) {
        float sum = 0;
        for (size_t key = 0; key < head->key_count; key++) {
            sum += head->scores[key] * head->values[key * size + i];
        }
        head->output[i] = sum * factor;
    }
}

AVX2 void phi_avx2_attend(const phi_attention_head *head) {
    const float maximum = score_keys(head);
    const float sum = exponentiate(head, maximum);
    weigh_values(head, 1 / sum);
}

#endif
