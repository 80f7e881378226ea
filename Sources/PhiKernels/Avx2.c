// The smaller operations in AVX2, and the tables.

#if defined(__x86_64__)

#include "Avx2.h"

#include <math.h>

#include "KernelTables.h"

AVX2 static void group_sums(
    const float *values, size_t group_count, size_t group_size, float *sums) {
    for (size_t group = 0; group < group_count; group++) {
        __m256 sum = _mm256_setzero_ps();
        for (size_t i = 0; i < group_size; i += LANES) {
            sum = _mm256_add_ps(sum, _mm256_loadu_ps(values + group * group_size + i));
        }
        sums[group] = sum_of_lanes(sum);
    }
}

AVX2 static void rms_norm(
    const float *input, const float *weight, size_t count, float epsilon, float *output) {
    __m256 squares = _mm256_setzero_ps();
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const __m256 x = _mm256_loadu_ps(input + i);
        squares = _mm256_fmadd_ps(x, x, squares);
    }
    float sum = sum_of_lanes(squares);
    for (; i < count; i++) sum += input[i] * input[i];

    const float factor = 1 / sqrtf(sum / (float)count + epsilon);
    for (i = 0; i + LANES <= count; i += LANES) {
        const __m256 scaled = _mm256_mul_ps(_mm256_loadu_ps(input + i), _mm256_set1_ps(factor));
        _mm256_storeu_ps(output + i, _mm256_mul_ps(scaled, _mm256_loadu_ps(weight + i)));
    }
    for (; i < count; i++) output[i] = input[i] * factor * weight[i];
}

AVX2 static void rotate(float *head, const float *cosines, const float *sines, size_t half) {
    size_t i = 0;
    for (; i + LANES <= half; i += LANES) {
        const __m256 first = _mm256_loadu_ps(head + i);
        const __m256 second = _mm256_loadu_ps(head + half + i);
        const __m256 cosine = _mm256_loadu_ps(cosines + i);
        const __m256 sine = _mm256_loadu_ps(sines + i);
        _mm256_storeu_ps(
            head + i, _mm256_fmsub_ps(first, cosine, _mm256_mul_ps(second, sine)));
        _mm256_storeu_ps(
            head + half + i, _mm256_fmadd_ps(second, cosine, _mm256_mul_ps(first, sine)));
    }
    for (; i < half; i++) {
        const float first = head[i];
        const float second = head[i + half];
        head[i] = first * cosines[i] - second * sines[i];
        head[i + half] = second * cosines[i] + first * sines[i];
    }
}

/// silu(gate) * up of eight numbers.
AVX2_INLINE __m256 gate_eight(__m256 gate, __m256 up) {
    const __m256 one = _mm256_set1_ps(1);
    // Below -88, where the exponential ends, silu is nothing.
    gate = _mm256_max_ps(_mm256_set1_ps(-88), gate);
    const __m256 denominator =
        _mm256_add_ps(one, exp_of(_mm256_sub_ps(_mm256_setzero_ps(), gate)));
    return _mm256_mul_ps(_mm256_div_ps(gate, denominator), up);
}

AVX2 static void gate(const float *gate, const float *up, size_t count, float *output) {
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        _mm256_storeu_ps(
            output + i, gate_eight(_mm256_loadu_ps(gate + i), _mm256_loadu_ps(up + i)));
    }
    if (i < count) {
        const __m256 last = gate_eight(
            load_some_floats(gate, PHI_FLOAT32, i, count - i, 0),
            load_some_floats(up, PHI_FLOAT32, i, count - i, 0));
        store_some_floats(output + i, last, count - i);
    }
}

AVX2 static void store(const float *values, size_t count, phi_float_type type, void *target) {
    if (type == PHI_FLOAT32) {
        memcpy(target, values, count * sizeof values[0]);
        return;
    }
    const __m256 largest = _mm256_set1_ps(PHI_FLOAT16_MAX);
    const __m256 smallest = _mm256_set1_ps(-PHI_FLOAT16_MAX);
    char *bytes = target;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        // Not-a-number is passed on by the second operand.
        __m256 x = _mm256_min_ps(largest, _mm256_loadu_ps(values + i));
        x = _mm256_max_ps(smallest, x);
        _mm_storeu_si128((__m128i *)(bytes + 2 * i), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
    }
    for (; i < count; i++) {
        const uint16_t bits = phi_float16_from_float(values[i]);
        memcpy(bytes + 2 * i, &bits, sizeof bits);
    }
}

AVX2 static void add(float *values, const float *addend, size_t count) {
    for (size_t i = 0; i < count; i++) values[i] += addend[i];
}

// What both tables have in common. One row a token: not worth a `decode_row` of its own.
#define AVX2_KERNELS                                                                              \
    .group_sums = group_sums, .multiply = phi_avx2_multiply, .quantize = phi_avx2_quantize,       \
    .decode_row = phi_scalar_decode_row, .rms_norm = rms_norm, .rotate = rotate,                  \
    .store = store, .attend = phi_avx2_attend, .gate = gate, .add = add

const phi_kernels phi_kernels_avx2 = {
    .name = "avx2", AVX2_KERNELS, .multiply_int8 = phi_avx2_multiply_int8};

const phi_kernels phi_kernels_avx512vnni = {
    .name = "avx512vnni", AVX2_KERNELS, .multiply_int8 = phi_vnni_multiply_int8};

#endif
