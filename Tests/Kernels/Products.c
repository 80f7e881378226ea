// Products of matrices with rows of activations.

#include "Comparison.h"

enum {
    // More than one block of rows, and more activations than share unpacked weights.
    ROWS_MAX = 104,
    INPUTS_MAX = 72,
    COLUMNS_MAX = 128 * 11,
};

/// The data starts at an odd address, as tensors in MLX's files may.
static char weights[1 + 4 * ROWS_MAX * COLUMNS_MAX];
static char scales[1 + 4 * ROWS_MAX * COLUMNS_MAX / 16];
static char biases[1 + 4 * ROWS_MAX * COLUMNS_MAX / 32];
static float values[INPUTS_MAX * COLUMNS_MAX];

/// Codes and scales of one byte, none of which is NaN.
static void fill_bytes(const phi_matrix *matrix) {
    const size_t count = matrix->rows * matrix->columns;
    for (size_t i = 0; i < count * matrix->bits / 8; i++) {
        const uint8_t byte = (uint8_t)random_bits();
        const bool is_nan = matrix->code_type == PHI_E4M3_CODES && (byte & 0x7F) == 0x7F;
        weights[1 + i] = (char)(is_nan ? byte - 1 : byte);
    }
    for (size_t i = 0; i < count / matrix->group_size; i++) {
        // From 2^-12 to 2^-5, or up to 2 of both signs.
        const uint64_t bits = random_bits();
        scales[1 + i] = (char)(matrix->float_type == PHI_E8M0 ? 115 + bits % 8 : bits & 0xBF);
    }
}

static phi_matrix random_matrix(storage storage, uint32_t group_size) {
    const uint32_t bits = storage.bits;
    phi_matrix matrix = {
        .weights = weights + 1,
        .scales = scales + 1,
        .biases = biases + 1,
        .rows = random_count(1, ROWS_MAX),
        .columns = bits ? group_size * random_count(1, 11) : random_count(1, 100),
        .float_type = (phi_float_type)random_count(0, 2),
        .code_type = storage.code_type,
        .bias_type = (phi_float_type)random_count(0, 2),
        .bits = bits,
        .group_size = group_size,
    };
    const size_t count = matrix.rows * matrix.columns;
    if (storage.code_type != PHI_INTEGER_CODES) {
        matrix.float_type = storage.scale_type;
        fill_bytes(&matrix);
    } else if (bits) {
        for (size_t i = 0; i < count * bits / 8; i++) weights[1 + i] = (char)random_bits();
        fill_stored(scales + 1, matrix.float_type, count / group_size, 1.0f / 16);
        fill_stored(biases + 1, matrix.bias_type, count / group_size, 1);
    } else {
        fill_stored(weights + 1, matrix.float_type, count, 1);
    }
    return matrix;
}

static void product(
    const phi_kernels *kernels, const phi_matrix *matrix, const float *input, size_t count,
    float *output) {
    static float sums[INPUTS_MAX * COLUMNS_MAX / 16];
    if (matrix->bits) {
        const size_t groups = matrix->columns / matrix->group_size;
        kernels->group_sums(input, count * groups, matrix->group_size, sums);
    }
    const phi_activations activations = {.values = input, .group_sums = sums, .count = count};
    kernels->multiply(matrix, 0, matrix->rows, &activations, output, matrix->rows);
}

void compare_products(storage storage, uint32_t size_min, uint32_t size_count) {
    static float one[INPUTS_MAX * ROWS_MAX], other[INPUTS_MAX * ROWS_MAX], alone[ROWS_MAX];
    for (size_t round = 0; round < 18; round++) {
        const phi_matrix matrix = random_matrix(storage, size_min << round % size_count);
        const size_t count = 1 + round % 9;
        fill(values, count * matrix.columns);
        product(tested, &matrix, values, count, one);
        product(scalar, &matrix, values, count, other);
        check(are_near(one, other, count * matrix.rows), "a product in floats");
        const size_t last = count - 1;
        product(tested, &matrix, values + last * matrix.columns, 1, alone);
        check(
            are_equal(alone, one + last * matrix.rows, matrix.rows * sizeof alone[0]),
            "a product of one row, and of that row among others");
    }
}

/// Activations rounded by a table.
typedef struct {
    int8_t codes[INPUTS_MAX * COLUMNS_MAX];
    float scales[INPUTS_MAX * COLUMNS_MAX / 16];
    float sums[INPUTS_MAX * COLUMNS_MAX / 16];
} rounded;

static void int8_product(
    const phi_kernels *kernels, const phi_matrix *matrix, size_t count, rounded *rounded,
    float *output) {
    const size_t groups = matrix->columns / matrix->group_size;
    for (size_t i = 0; i < count; i++) {
        kernels->quantize(
            matrix, values + i * matrix->columns, rounded->codes + i * matrix->columns,
            rounded->scales + i * groups, rounded->sums + i * groups);
    }
    enum { ROW_BYTES_MAX = COLUMNS_MAX + COLUMNS_MAX / 16 * 2 * sizeof(float) };
    static _Alignas(64) uint8_t packed[(INPUTS_MAX + PHI_PANEL_ROWS_MAX) * ROW_BYTES_MAX];
    const phi_int8_activations activations = {
        .codes = rounded->codes,
        .scales = rounded->scales,
        .sums = rounded->sums,
        .count = count,
        .packed = packed,
    };
    if (phi_reads_packed(kernels, count)) {
        for (size_t i = 0; i < count; i += kernels->panel_rows) {
            kernels->pack(matrix, &activations, i);
        }
    }
    const size_t middle = matrix->rows / 3;
    kernels->multiply_int8(matrix, 0, middle, &activations, output, matrix->rows);
    kernels->multiply_int8(matrix, middle, matrix->rows, &activations, output, matrix->rows);
}

void compare_int8_products(storage storage, uint32_t group_size) {
    static rounded rounded_one, rounded_other;
    static float one[INPUTS_MAX * ROWS_MAX], other[INPUTS_MAX * ROWS_MAX];
    // From few rows to many, which fill more than one tile.
    for (size_t count = 1; count <= INPUTS_MAX; count += count < 20 ? 1 : 13) {
        const phi_matrix matrix = random_matrix(storage, group_size);
        fill(values, count * matrix.columns);
        // One group of zeros, and one with the largest codes.
        if (count % 4 == 0) memset(values, 0, group_size * sizeof values[0]);
        if (count % 4 == 1) {
            for (size_t i = 0; i < group_size; i++) values[i] = -1;
            const int largest = storage.code_type == PHI_E2M1_CODES ? 0x77 : 0xFF;
            memset(weights + 1, largest, group_size * storage.bits / 8);
        }
        int8_product(tested, &matrix, count, &rounded_one, one);
        int8_product(scalar, &matrix, count, &rounded_other, other);
        const size_t groups = count * matrix.columns / group_size;
        check(
            are_equal(rounded_one.codes, rounded_other.codes, count * matrix.columns) &&
                are_equal(rounded_one.scales, rounded_other.scales, groups * sizeof(float)) &&
                are_equal(rounded_one.sums, rounded_other.sums, groups * sizeof(float)),
            "activations rounded to int8");
        check(
            are_equal(one, other, count * matrix.rows * sizeof one[0]),
            "a product of activations rounded to int8");
    }
}
