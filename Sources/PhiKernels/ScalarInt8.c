// Rounding to int8, and products with rounded activations, as they are defined. Slow; other
// instruction sets give the same bits.

#include "FloatTypes.h"
#include "KernelTables.h"

/// The position of the code of a group's element `index` in the group.
static size_t code_position(const phi_matrix *matrix, size_t index) {
    if (matrix->bits == 8) return index;
    const size_t block = matrix->group_size < 64 ? matrix->group_size : 64;
    const size_t start = index / block * block;
    return start + index % 2 * (block / 2) + index % block / 2;
}

static float largest_magnitude(const float *values, size_t count) {
    float largest = 0;
    for (size_t i = 0; i < count; i++) largest = phi_larger_magnitude(largest, values[i]);
    return largest;
}

void phi_scalar_quantize(
    const phi_matrix *matrix, const float *values, int8_t *codes, float *scales, float *sums) {
    const size_t size = matrix->group_size;
    for (size_t group = 0; group < matrix->columns / size; group++) {
        const float largest = largest_magnitude(values + group * size, size);
        const float inverse = phi_int8_inverse(largest);
        int32_t sum = 0;
        for (size_t i = 0; i < size; i++) {
            const int8_t code = phi_int8_code(values[group * size + i] * inverse);
            codes[group * size + code_position(matrix, i)] = code;
            sum += code;
        }
        scales[group] = largest / 127;
        sums[group] = scales[group] * (float)sum;
    }
}

void phi_scalar_store_int8(const float *values, size_t count, int8_t *target) {
    const float largest = largest_magnitude(values, count);
    const float inverse = phi_int8_inverse(largest);
    for (size_t i = 0; i < count; i++) target[i] = phi_int8_code(values[i] * inverse);
    const float scale = largest / 127;
    memcpy(target + count, &scale, sizeof scale);
}

/// The sum of the products of a group's codes.
static int32_t group_dot(
    const phi_matrix *matrix, size_t row, size_t group, const int8_t *group_codes) {
    const uint8_t *codes = matrix->weights;
    const size_t first = row * matrix->columns + group * matrix->group_size;
    int32_t sum = 0;
    for (size_t i = 0; i < matrix->group_size; i++) {
        const size_t index = first + i;
        int32_t code = matrix->bits == 8 ? codes[index] : codes[index / 2] >> index % 2 * 4 & 15;
        if (matrix->code_type == PHI_E2M1_CODES) {
            code = phi_twice_e2m1((uint32_t)code) + PHI_E2M1_OFFSET;
        }
        sum += code * group_codes[code_position(matrix, i)];
    }
    return sum;
}

/// One row of weights with row `index` of the activations.
static float row_dot(
    const phi_matrix *matrix, size_t row, const phi_int8_activations *input, size_t index) {
    const size_t group_count = matrix->columns / matrix->group_size;
    float sums[8] = {0};
    for (size_t group = 0; group < group_count; group++) {
        const size_t weight_group = row * group_count + group;
        const size_t input_group = index * group_count + group;
        float scale = phi_load_float(matrix->scales, matrix->float_type, weight_group);
        float bias;
        if (matrix->code_type == PHI_E2M1_CODES) {
            scale *= 0.5f;
            bias = scale * -PHI_E2M1_OFFSET;
        } else {
            bias = phi_load_float(matrix->biases, matrix->bias_type, weight_group);
        }
        const int32_t dot = group_dot(
            matrix, row, group,
            input->codes + index * matrix->columns + group * matrix->group_size);
        float *sum = &sums[group % 8];
        *sum = fmaf(bias, input->sums[input_group], *sum);
        *sum = fmaf(scale * input->scales[input_group], (float)dot, *sum);
    }
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) +
           ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

void phi_scalar_multiply_int8(
    const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_int8_activations *input,
    float *output, size_t output_stride) {
    for (size_t row = first_row; row < end_row; row++) {
        for (size_t i = 0; i < input->count; i++) {
            output[i * output_stride + row] = row_dot(matrix, row, input, i);
        }
    }
}
