// The reference implementation: each operation as it is defined, with sums in double. Slow; other
// instruction sets are tested against it.

#include "FloatTypes.h"
#include "KernelTables.h"

/// Code `index` of a bit stream. A code may span two bytes.
static uint32_t code_at(const uint8_t *codes, size_t index, uint32_t bits) {
    const size_t first_bit = index * bits;
    const uint32_t shift = first_bit % 8;
    uint32_t two_bytes = codes[first_bit / 8];
    if (shift + bits > 8) two_bytes |= (uint32_t)codes[first_bit / 8 + 1] << 8;
    return two_bytes >> shift & ((1u << bits) - 1);
}

/// Element `column` of row `row`.
static float matrix_element(const phi_matrix *matrix, size_t row, size_t column) {
    const size_t index = row * matrix->columns + column;
    if (matrix->bits == 0) return phi_load_float(matrix->weights, matrix->float_type, index);

    // A row has a whole number of groups, so codes and groups can be counted through all rows.
    const size_t group = index / matrix->group_size;
    const float scale = phi_load_float(matrix->scales, matrix->float_type, group);
    const uint32_t code = code_at(matrix->weights, index, matrix->bits);
    switch (matrix->code_type) {
        case PHI_E2M1_CODES: return scale * ((float)phi_twice_e2m1(code) * 0.5f);
        case PHI_E4M3_CODES: return scale * phi_float_from_e4m3((uint8_t)code);
        default: break;
    }
    return scale * (float)code + phi_load_float(matrix->biases, matrix->bias_type, group);
}

static void group_sums(const float *values, size_t group_count, size_t group_size, float *sums) {
    for (size_t group = 0; group < group_count; group++) {
        double sum = 0;
        for (size_t i = 0; i < group_size; i++) sum += values[group * group_size + i];
        sums[group] = (float)sum;
    }
}

static void multiply(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_activations *input,
    float *output, size_t output_stride) {
    for (size_t row = first_row; row < end_row; row++) {
        for (size_t i = 0; i < input->count; i++) {
            const float *values = input->values + i * matrix->columns;
            double sum = 0;
            for (size_t column = 0; column < matrix->columns; column++) {
                sum += (double)matrix_element(matrix, row, column) * values[column];
            }
            output[i * output_stride + row] = (float)sum;
        }
    }
}

void phi_scalar_decode_row(const phi_matrix *matrix, size_t row, float *output) {
    for (size_t column = 0; column < matrix->columns; column++) {
        output[column] = matrix_element(matrix, row, column);
    }
}

static void add_rows(
    const phi_matrix *matrix, const float *weights, size_t first_column, size_t end_column,
    float *values) {
    for (size_t column = first_column; column < end_column; column++) {
        double sum = values[column];
        for (size_t row = 0; row < matrix->rows; row++) {
            sum += (double)weights[row] * matrix_element(matrix, row, column);
        }
        values[column] = (float)sum;
    }
}

static void rms_norm(
    const float *input, const float *weight, size_t count, float epsilon, float *output) {
    double sum_of_squares = 0;
    for (size_t i = 0; i < count; i++) sum_of_squares += (double)input[i] * input[i];
    const float factor = (float)(1 / sqrt(sum_of_squares / (double)count + epsilon));
    for (size_t i = 0; i < count; i++) output[i] = input[i] * factor * weight[i];
}

static void rotate(float *head, const float *cosines, const float *sines, size_t half) {
    for (size_t i = 0; i < half; i++) {
        const float first = head[i];
        const float second = head[i + half];
        head[i] = first * cosines[i] - second * sines[i];
        head[i + half] = second * cosines[i] + first * sines[i];
    }
}

static void store(const float *values, size_t count, phi_float_type type, void *target) {
    if (type == PHI_FLOAT32) {
        memcpy(target, values, count * sizeof values[0]);
        return;
    }
    if (type == PHI_INT8) {
        phi_scalar_store_int8(values, count, target);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint16_t bits = phi_float16_from_float(values[i]);
        memcpy((char *)target + 2 * i, &bits, sizeof bits);
    }
}

static void gate(const float *gate, const float *up, size_t count, float *output) {
    for (size_t i = 0; i < count; i++) output[i] = gate[i] / (1 + expf(-gate[i])) * up[i];
}

static void add(float *values, const float *addend, size_t count) {
    for (size_t i = 0; i < count; i++) values[i] += addend[i];
}

const phi_kernels phi_kernels_scalar = {
    .name = "scalar",
    .group_sums = group_sums,
    .multiply = multiply,
    .quantize = phi_scalar_quantize,
    .multiply_int8 = phi_scalar_multiply_int8,
    .decode_row = phi_scalar_decode_row,
    .add_rows = add_rows,
    .rms_norm = rms_norm,
    .rotate = rotate,
    .store = store,
    .attend = phi_scalar_attend,
    .gate = gate,
    .add = add,
};
