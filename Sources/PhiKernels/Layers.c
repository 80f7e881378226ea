// Steps of layers that are compositions of a table's operations.

#include <math.h>

#include "include/PhiKernels.h"

/// The mean of `count` numbers. Eight sums, which compilers put into registers, added in a fixed
/// order.
static float mean(const float *values, size_t count) {
    float sums[8] = {0};
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        for (size_t j = 0; j < 8; j++) sums[j] += values[i + j];
    }
    float sum = 0;
    for (size_t j = 0; j < 8; j++) sum += sums[j];
    for (; i < count; i++) sum += values[i];
    return sum / (float)count;
}

void phi_layer_norm(
    const phi_kernels *kernels, const float *input, const float *weight, const float *bias,
    size_t count, float epsilon, float *output) {
    // The variance is the mean square of the centered numbers.
    const float center = mean(input, count);
    for (size_t i = 0; i < count; i++) output[i] = input[i] - center;
    kernels->rms_norm(output, weight, count, epsilon, output);
    kernels->add(output, bias, count);
}

// Activations of the form x * sigmoid(u) are computed by `gate`, silu(u) * y, with y = x / u.

void phi_gelu(const phi_kernels *kernels, float *values, size_t count, float *output) {
    // 1 + tanh(z) is 2 * sigmoid(2 z), so u = 2 sqrt(2 / pi) (x + 0.044715 x^3).
    const float factor = 1.5957691216f;
    for (size_t i = 0; i < count; i++) {
        const float x = values[i];
        const float slope = factor + factor * 0.044715f * x * x;
        values[i] = x * slope;
        output[i] = 1 / slope;
    }
    kernels->gate(values, output, count, output);
}

void phi_gegelu(
    const phi_kernels *kernels, float *values, size_t count, float limit, float *output) {
    const float factor = 1.702f;
    for (size_t i = 0; i < count; i++) {
        const float a = values[2 * i];
        const float b = values[2 * i + 1];
        // Written so that NaN stays NaN.
        values[i] = factor * (a > limit ? limit : a);
        output[i] = ((b > limit ? limit : b < -limit ? -limit : b) + 1) / factor;
    }
    kernels->gate(values, output, count, output);
}

void phi_add_scaled(float *values, const float *addend, size_t count, float factor) {
    for (size_t i = 0; i < count; i++) values[i] += factor * addend[i];
}
