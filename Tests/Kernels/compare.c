// Compares every table of kernels that this processor supports with the scalar one, on random
// inputs. The tests of PhiModel check more; this program is plain C, so that it runs under an
// emulator for processors that no developer has. Tools/kernels_emulated.sh builds and runs it.
//
//     compare [TABLE...]    also fails if one of these tables is missing

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../Sources/PhiKernels/FloatTypes.h"

/// Tolerance: implementations may add in another order.
static const float TOLERANCE = 2e-5f;

enum {
    // More than one block of rows, and more activations than share unpacked weights.
    ROWS_MAX = 104,
    INPUTS_MAX = 72,
    COLUMNS_MAX = 128 * 11,
    HEAD_MAX = 128,
    KEYS_MAX = 70,
    PAGE_POSITIONS = 5,
};

static const phi_kernels *scalar;
static const phi_kernels *tested;
static int passed;
static int failed;

static void check(bool holds, const char *what) {
    if (holds) {
        passed++;
    } else {
        failed++;
        if (failed <= 20) printf("%s: %s\n", tested->name, what);
    }
}

// MARK: - Random inputs

static uint64_t state = 1;

static uint64_t random_bits(void) {
    // SplitMix64
    state += 0x9E3779B97F4A7C15;
    uint64_t z = state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}

static size_t random_count(size_t first, size_t last) {
    return first + random_bits() % (last - first + 1);
}

/// In -1 ..< 1.
static float random_float(void) { return (float)(int32_t)random_bits() * 0x1p-31f; }

static void fill(float *values, size_t count) {
    for (size_t i = 0; i < count; i++) values[i] = random_float();
}

static void fill_stored(char *target, phi_float_type type, size_t count, float scale) {
    for (size_t i = 0; i < count; i++) {
        const float value = random_float() * scale;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        const uint16_t half = type == PHI_FLOAT16 ? phi_float16_from_float(value) : bits >> 16;
        if (type == PHI_FLOAT32) {
            memcpy(target + 4 * i, &bits, sizeof bits);
        } else {
            memcpy(target + 2 * i, &half, sizeof half);
        }
    }
}

// MARK: - Comparisons

static bool are_near(const float *one, const float *other, size_t count) {
    float largest = 1;
    for (size_t i = 0; i < count; i++) largest = fmaxf(largest, fabsf(other[i]));
    for (size_t i = 0; i < count; i++) {
        if (!(fabsf(one[i] - other[i]) <= TOLERANCE * largest)) return false;
    }
    return true;
}

static bool are_equal(const void *one, const void *other, size_t byte_count) {
    return memcmp(one, other, byte_count) == 0;
}

// MARK: - Products

/// The data starts at an odd address, as tensors in MLX's files may.
static char weights[1 + 4 * ROWS_MAX * COLUMNS_MAX];
static char scales[1 + 4 * ROWS_MAX * COLUMNS_MAX / 16];
static char biases[1 + 4 * ROWS_MAX * COLUMNS_MAX / 32];
static float values[INPUTS_MAX * COLUMNS_MAX];

/// How weights are stored: bits 0 as floats, otherwise as codes with scales.
typedef struct {
    uint32_t bits;
    phi_code_type code_type;
    phi_float_type scale_type;
} storage;

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

static void compare_products(storage storage, uint32_t size_min, uint32_t size_count) {
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
    static _Alignas(64) uint8_t
        packed[(INPUTS_MAX + PHI_PANEL_ROWS_MAX) * (COLUMNS_MAX + COLUMNS_MAX / 16 * 2 * sizeof(float))];
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

static void compare_int8_products(storage storage, uint32_t group_size) {
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

// MARK: - Attention

static char pages[(KEYS_MAX / PAGE_POSITIONS + 1) * 2 * PAGE_POSITIONS * HEAD_MAX * 4];
static float queries[PHI_QUERIES_MAX * HEAD_MAX];

static void fill_pages(phi_float_type type, size_t head_size) {
    const size_t stored_size = phi_stored_size(type, head_size);
    for (size_t i = 0; (i + 1) * stored_size <= sizeof pages; i++) {
        float numbers[HEAD_MAX];
        fill(numbers, head_size);
        scalar->store(numbers, head_size, type, pages + i * stored_size);
    }
}

static void attend(
    const phi_kernels *kernels, size_t first, size_t query_count, const size_t *key_counts,
    size_t head_size, phi_float_type type, const phi_block_sparsity *sparsity, float *output) {
    static float scores[PHI_QUERIES_MAX * KEYS_MAX];
    const size_t half = PAGE_POSITIONS * phi_stored_size(type, head_size);
    const void *starts[KEYS_MAX / PAGE_POSITIONS + 1];
    for (size_t i = 0; i <= KEYS_MAX / PAGE_POSITIONS; i++) starts[i] = pages + i * 2 * half;
    phi_attention_tile tile = {
        .cached = {
            .pages = starts,
            .page_positions = PAGE_POSITIONS,
            .type = type,
            .values_offset = half,
        },
        .sparsity = sparsity,
        .query_count = query_count,
        .head_size = head_size,
        .scale = 0.3f,
        .scores = scores,
        .scores_stride = KEYS_MAX,
    };
    for (size_t i = 0; i < query_count; i++) {
        tile.queries[i] = queries + (first + i) * head_size;
        tile.key_counts[i] = key_counts[first + i];
        tile.heads[i] = first + i;
        tile.outputs[i] = output + i * head_size;
    }
    kernels->attend(&tile);
}

static void compare_attention(phi_float_type type) {
    static const size_t sizes[] = {2, 8, 20, 32, 96, HEAD_MAX};
    static float one[PHI_QUERIES_MAX * HEAD_MAX], other[PHI_QUERIES_MAX * HEAD_MAX];
    static float alone[HEAD_MAX];
    for (size_t round = 0; round < 6 * KEYS_MAX; round++) {
        const size_t size = sizes[round % 6];
        const size_t query_count = random_count(1, PHI_QUERIES_MAX);
        size_t key_counts[PHI_QUERIES_MAX];
        for (size_t i = 0; i < query_count; i++) {
            const size_t fewest = i ? key_counts[i - 1] : 1;
            key_counts[i] = random_count(fewest, 1 + round / 6);
        }
        fill(queries, query_count * size);
        fill_pages(type, size);
        const phi_block_sparsity pattern = {
            .block_positions = random_count(1, 16),
            .local_blocks = random_count(1, 3),
            .stride = random_count(1, 5),
        };
        const phi_block_sparsity *sparsity = round / 6 % 2 ? &pattern : NULL;
        attend(tested, 0, query_count, key_counts, size, type, sparsity, one);
        attend(scalar, 0, query_count, key_counts, size, type, sparsity, other);
        check(are_near(one, other, query_count * size), "attention");
        for (size_t i = 0; i < query_count; i++) {
            attend(tested, i, 1, key_counts, size, type, sparsity, alone);
            check(
                are_equal(alone, one + i * size, size * sizeof one[0]),
                "attention of one query, and of that query among others");
        }
    }
}

// MARK: - Vectors

static void compare_stores(size_t count) {
    static const float edges[] = {0, -0.0f, 65504, 65519, 65520, -1e9f, INFINITY, -INFINITY,
                                  0x1p-14f, 0x1p-24f, 0x1p-25f, 0x1.8p-25f, -3.3e-7f, 2047.5f};
    uint16_t one[256], other[256];
    fill(values, count);
    for (size_t i = 0; i < count; i++) {
        values[i] = ldexpf(values[i], (int)random_count(0, 40) - 25);
        if (random_count(0, 3) == 0) values[i] = edges[random_count(0, 13)];
    }
    tested->store(values, count, PHI_FLOAT16, one);
    scalar->store(values, count, PHI_FLOAT16, other);
    check(are_equal(one, other, count * sizeof one[0]), "numbers stored as halves");

    int8_t codes[256 + 4], expected[256 + 4];
    fill(values, count);
    if (count % 7 == 0) memset(values, 0, count * sizeof values[0]);
    tested->store(values, count, PHI_INT8, codes);
    scalar->store(values, count, PHI_INT8, expected);
    check(are_equal(codes, expected, phi_stored_size(PHI_INT8, count)), "numbers stored as int8");
}

static void compare_vectors(size_t count) {
    float one[512], other[512];
    float *a = values;
    float *b = values + count;
    fill(a, 2 * count);
    tested->rms_norm(a, b, count, 1e-5f, one);
    scalar->rms_norm(a, b, count, 1e-5f, other);
    check(are_near(one, other, count), "a norm");

    for (size_t i = 0; i < count; i++) a[i] *= 100;
    tested->gate(a, b, count, one);
    scalar->gate(a, b, count, other);
    check(are_near(one, other, count), "a gate");
    a[count - 1] = NAN;
    tested->gate(a, b, count, one);
    check(isnan(one[count - 1]), "a gate of not-a-number");

    fill(one, 2 * count);
    memcpy(other, one, 2 * count * sizeof one[0]);
    fill(values, 2 * count);
    tested->rotate(one, a, b, count);
    scalar->rotate(other, a, b, count);
    check(are_near(one, other, 2 * count), "a rotation");

    tested->add(one, a, count);
    scalar->add(other, a, count);
    check(are_near(one, other, count), "an addition");
}

static void compare(void) {
    static const uint32_t widths[] = {0, 2, 3, 4, 5, 6, 8};
    for (size_t i = 0; i < 7; i++) compare_products((storage){.bits = widths[i]}, 32, 3);
    for (uint32_t bits = 4; bits <= 8; bits += 4) {
        for (uint32_t size = 32; size <= 128; size *= 2) {
            compare_int8_products((storage){.bits = bits}, size);
        }
    }
    const storage mxfp4 = {4, PHI_E2M1_CODES, PHI_E8M0};
    const storage nvfp4 = {4, PHI_E2M1_CODES, PHI_E4M3};
    const storage mxfp8 = {8, PHI_E4M3_CODES, PHI_E8M0};
    compare_products(mxfp4, 32, 1);
    compare_products(nvfp4, 16, 1);
    compare_products(mxfp8, 32, 1);
    compare_int8_products(mxfp4, 32);
    compare_int8_products(nvfp4, 16);
    compare_attention(PHI_FLOAT32);
    compare_attention(PHI_FLOAT16);
    compare_attention(PHI_INT8);
    for (size_t count = 1; count <= 256; count += 1 + count / 16) {
        compare_vectors(count);
        compare_stores(count);
    }
}

int main(int argument_count, char **arguments) {
    scalar = phi_kernels_named("scalar");
    for (int i = 1; i < argument_count; i++) {
        if (phi_kernels_named(arguments[i])) continue;
        printf("%s: no such table here\n", arguments[i]);
        failed++;
    }
    for (int index = 0; (tested = phi_kernels_available(index)); index++) {
        if (tested == scalar) continue;
        const int before = passed;
        compare();
        printf("%s: %d comparisons hold\n", tested->name, passed - before);
    }
    printf("best: %s\n", phi_kernels_best()->name);
    if (failed) printf("%d comparisons failed\n", failed);
    return failed ? 1 : 0;
}
