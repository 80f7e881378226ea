// The smaller operations on vectors, for an instruction set: see Lanes.h.

#include <math.h>

#include "KernelTables.h"
#include "Lanes.h"

TARGET static void group_sums(
    const float *values, size_t group_count, size_t group_size, float *sums) {
    for (size_t group = 0; group < group_count; group++) {
        lanes sum = lanes_of(0);
        for (size_t i = 0; i < group_size; i += LANES) {
            sum = lanes_add(sum, lanes_load(values + group * group_size + i));
        }
        sums[group] = sum_of_lanes(sum);
    }
}

TARGET static void rms_norm(
    const float *input, const float *weight, size_t count, float epsilon, float *output) {
    lanes squares = lanes_of(0);
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        const lanes x = lanes_load(input + i);
        squares = lanes_multiply_add(x, x, squares);
    }
    float sum = sum_of_lanes(squares);
    for (; i < count; i++) sum += input[i] * input[i];

    const float factor = 1 / sqrtf(sum / (float)count + epsilon);
    for (i = 0; i + LANES <= count; i += LANES) {
        const lanes scaled = lanes_multiply(lanes_load(input + i), lanes_of(factor));
        lanes_store(output + i, lanes_multiply(scaled, lanes_load(weight + i)));
    }
    for (; i < count; i++) output[i] = input[i] * factor * weight[i];
}

TARGET static void rotate(float *head, const float *cosines, const float *sines, size_t half) {
    size_t i = 0;
    for (; i + LANES <= half; i += LANES) {
        const lanes first = lanes_load(head + i);
        const lanes second = lanes_load(head + half + i);
        const lanes cosine = lanes_load(cosines + i);
        const lanes sine = lanes_load(sines + i);
        const lanes crossed = lanes_negate(lanes_multiply(second, sine));
        lanes_store(head + i, lanes_multiply_add(first, cosine, crossed));
        lanes_store(
            head + half + i, lanes_multiply_add(second, cosine, lanes_multiply(first, sine)));
    }
    for (; i < half; i++) {
        const float first = head[i];
        const float second = head[i + half];
        head[i] = first * cosines[i] - second * sines[i];
        head[i + half] = second * cosines[i] + first * sines[i];
    }
}

/// silu(gate) * up.
TARGET_INLINE lanes gate_lanes(lanes gate, lanes up) {
    // Below -88, where the exponential ends, silu is nothing.
    gate = lanes_max(lanes_of(-88), gate);
    const lanes denominator = lanes_add(lanes_of(1), exp_of(lanes_negate(gate)));
    return lanes_multiply(lanes_divide(gate, denominator), up);
}

TARGET static void gate(const float *gate, const float *up, size_t count, float *output) {
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        lanes_store(output + i, gate_lanes(lanes_load(gate + i), lanes_load(up + i)));
    }
    if (i < count) {
        const lanes last = gate_lanes(
            load_some_floats(gate, PHI_FLOAT32, i, count - i, 0),
            load_some_floats(up, PHI_FLOAT32, i, count - i, 0));
        store_some_floats(output + i, last, count - i);
    }
}

/// Writes a key or value as int8: see `store` of the kernel table.
TARGET static void store_int8(const float *values, size_t count, int8_t *target) {
    const size_t whole = count / LANES * LANES;
    float largest = largest_magnitude(values, whole);
    for (size_t i = whole; i < count; i++) largest = phi_larger_magnitude(largest, values[i]);
    const float inverse = phi_int8_inverse(largest);
    for (size_t i = 0; i < whole; i += LANES) {
        store_codes(target + i, lanes_multiply(lanes_load(values + i), lanes_of(inverse)));
    }
    for (size_t i = whole; i < count; i++) target[i] = phi_int8_code(values[i] * inverse);
    const float scale = largest / 127;
    memcpy(target + count, &scale, sizeof scale);
}

TARGET static void store(const float *values, size_t count, phi_float_type type, void *target) {
    if (type == PHI_FLOAT32) {
        memcpy(target, values, count * sizeof values[0]);
        return;
    }
    if (type == PHI_INT8) {
        store_int8(values, count, target);
        return;
    }
    char *bytes = target;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        lanes x = lanes_min(lanes_of(PHI_FLOAT16_MAX), lanes_load(values + i));
        x = lanes_max(lanes_of(-PHI_FLOAT16_MAX), x);
        store_halves(bytes + 2 * i, x);
    }
    for (; i < count; i++) {
        const uint16_t bits = phi_float16_from_float(values[i]);
        memcpy(bytes + 2 * i, &bits, sizeof bits);
    }
}

TARGET static void add(float *values, const float *addend, size_t count) {
    for (size_t i = 0; i < count; i++) values[i] += addend[i];
}

enum {
    /// Registers of sums that `add_rows` fills at once: an addition waits for the one before it in
    /// the same register.
    SUMS = 4,
};

/// See `add_rows` of the kernel table, for a constant type.
TARGET_INLINE void add_rows_of(
    const phi_matrix *matrix, const phi_float_type type, const float *weights,
    size_t first_column, size_t end_column, float *values) {
    size_t column = first_column;
    for (; column + SUMS * LANES <= end_column; column += SUMS * LANES) {
        lanes sums[SUMS];
        for (size_t i = 0; i < SUMS; i++) sums[i] = lanes_load(values + column + i * LANES);
        for (size_t row = 0; row < matrix->rows; row++) {
            const lanes weight = lanes_of(weights[row]);
            for (size_t i = 0; i < SUMS; i++) {
                const size_t index = row * matrix->columns + column + i * LANES;
                const lanes x = load_floats(matrix->weights, type, index);
                sums[i] = lanes_multiply_add(x, weight, sums[i]);
            }
        }
        for (size_t i = 0; i < SUMS; i++) lanes_store(values + column + i * LANES, sums[i]);
    }
    for (; column < end_column; column += LANES) {
        const size_t some = end_column - column < LANES ? end_column - column : LANES;
        lanes sum = load_some_floats(values, PHI_FLOAT32, column, some, 0);
        for (size_t row = 0; row < matrix->rows; row++) {
            const size_t index = row * matrix->columns + column;
            const lanes x = load_some_floats(matrix->weights, type, index, some, 0);
            sum = lanes_multiply_add(x, lanes_of(weights[row]), sum);
        }
        store_some_floats(values + column, sum, some);
    }
}

TARGET static void add_rows(
    const phi_matrix *matrix, const float *weights, size_t first_column, size_t end_column,
    float *values) {
    switch (matrix->float_type) {
        case PHI_FLOAT32:
            add_rows_of(matrix, PHI_FLOAT32, weights, first_column, end_column, values);
            return;
        case PHI_FLOAT16:
            add_rows_of(matrix, PHI_FLOAT16, weights, first_column, end_column, values);
            return;
        default:
            add_rows_of(matrix, PHI_BFLOAT16, weights, first_column, end_column, values);
            return;
    }
}
