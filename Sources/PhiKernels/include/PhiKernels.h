// The arithmetic of Phi models in C: products with weights in the layout that they have on
// disk, norms, rotary embedding, attention, gate. No memory is allocated here and no model is
// known.
//
// Every operation has a readable scalar implementation (Scalar.c) and may have one for each
// instruction set; a table chosen at run time holds the selected ones. Activations are float32; for
// products with quantized weights they can be rounded to int8 first, which is several times as
// fast. Each element of a result is computed in the same way whatever else the call computes:
// results depend neither on how many rows are multiplied at once nor on the number of threads.
#ifndef STOA_PHI_KERNELS_H
#define STOA_PHI_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/// The type of stored floating-point numbers, little-endian.
typedef enum {
    PHI_FLOAT32,
    PHI_FLOAT16,
    PHI_BFLOAT16,
    /// For keys and values only: the codes of a vector, -127 ... 127 in one byte each, followed by
    /// their scale as float32.
    PHI_INT8,
    /// For scales only: a power of two, its exponent plus 127 in one byte.
    PHI_E8M0,
    /// For scales only: 1 sign, 4 exponent (bias 7), 3 fraction bits; no infinities, one NaN.
    PHI_E4M3,
} phi_float_type;

/// What the codes of a quantized matrix stand for. The floats are those of the OCP Microscaling
/// Formats specification, 5.3.
typedef enum {
    /// Unsigned integers, of an affine matrix.
    PHI_INTEGER_CODES,
    /// Floats of 4 bits: 0, 0.5, 1, 1.5, 2, 3, 4, 6, and the same with the highest bit as sign.
    PHI_E2M1_CODES,
    /// Floats of 8 bits, as PHI_E4M3.
    PHI_E4M3_CODES,
} phi_code_type;

/// A weight matrix [rows, columns], row-major, in a mapped file, at any alignment.
///
/// Float (bits 0): `weights` are rows * columns numbers of `float_type`. Otherwise `weights` are
/// codes of `code_type`, a bit stream with the lowest bits first, columns * bits / 8 bytes a row, and
/// `scales` are [rows, columns / group_size] of `float_type`. `group_size` is a multiple of 16 that
/// divides `columns`.
///
/// MLX's affine mode has integers of 2, 3, 4, 5, 6 or 8 bits, and `biases` of `bias_type`, as many as
/// scales: an element is scale * code + bias. In mxfp4, nvfp4 and mxfp8 it is scale * code.
typedef struct {
    const void *weights;
    const void *scales;
    const void *biases;
    size_t rows;
    size_t columns;
    phi_float_type float_type;
    phi_float_type bias_type;
    phi_code_type code_type;
    uint32_t bits;
    uint32_t group_size;
} phi_matrix;

/// Rows of activations, to be multiplied with a matrix.
typedef struct {
    /// [count, columns of the matrix]
    const float *values;
    /// [count, columns / group_size]: see `group_sums`; unused by matrices without biases.
    const float *group_sums;
    size_t count;
} phi_activations;

/// Rows of activations rounded to int8 for one matrix, group by group: a number is its group's
/// scale times its code.
///
/// A product with them is defined to the last bit and is the same in every instruction set. For
/// group g, with the integer D = sum of weight code * activation code, the bias and then the codes
/// are added to running sum g mod 8, each with one rounding (fma):
///
///     sum = bias * x_sum + sum
///     sum = (scale * x_scale) * D + sum
///
/// The result of the eight sums s is ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7)).
///
/// E2M1 codes are integers in this: 2 * code + 12, from 0 to 24. Their scale is half the stored one,
/// and their bias -12 times that.
typedef struct {
    /// [count, columns of the matrix], -127 ... 127, in the order of `quantize`.
    const int8_t *codes;
    /// [count, columns / group_size]
    const float *scales;
    /// [count, columns / group_size]: the sum of a group's codes, times its scale.
    const float *sums;
    size_t count;
    /// Buffer for the output of `pack`, `phi_packed_size` bytes, aligned to 64; unused by tables
    /// that do not pack.
    uint8_t *packed;
} phi_int8_activations;

/// Whether a matrix can be multiplied with activations rounded to int8: integers of 4 or 8 bits in
/// groups of 32, 64 or 128, or E2M1 codes in groups of 16 or 32. E4M3 codes span 17 bits, and would
/// lose their small numbers.
static inline int phi_takes_int8(const phi_matrix *matrix) {
    const uint32_t size = matrix->group_size;
    switch (matrix->code_type) {
        case PHI_INTEGER_CODES:
            return (matrix->bits == 4 || matrix->bits == 8) &&
                   (size == 32 || size == 64 || size == 128);
        case PHI_E2M1_CODES: return size == 16 || size == 32;
        default: return 0;
    }
}

/// Maximum number of rows of activations that a table packs together.
enum { PHI_PANEL_ROWS_MAX = 16 };

/// The bytes of a group in a panel of packed activations: codes, [codes of a group / 4, rows, 4], and then
/// scales and sums, [rows] each, as float32.
static inline size_t phi_packed_group_size(size_t panel_rows, size_t group_size) {
    return panel_rows * (group_size + 2 * sizeof(float));
}

/// The size in bytes of `count` rows of rounded activations packed in panels of `panel_rows`; the
/// last panel has full size.
static inline size_t phi_packed_size(
    const phi_matrix *matrix, size_t panel_rows, size_t count) {
    const size_t group_count = matrix->columns / matrix->group_size;
    const size_t panel_count = (count + panel_rows - 1) / panel_rows;
    return panel_count * group_count * phi_packed_group_size(panel_rows, matrix->group_size);
}

/// The size in bytes of `count` numbers stored as `type`; for int8, of a key or value.
static inline size_t phi_stored_size(phi_float_type type, size_t count) {
    switch (type) {
        case PHI_FLOAT32: return 4 * count;
        case PHI_INT8: return count + 4;
        case PHI_E8M0:
        case PHI_E4M3: return count;
        default: return 2 * count;
    }
}

#include "PhiAttention.h"

/// The operations in one instruction set.
typedef struct {
    /// "scalar", "avx2", "avxvnni", "avx512vnni", "amx", "neon", "neondotprod", "neoni8mm".
    const char *name;

    /// The sum of each group of `group_size` numbers of `values` [group_count * group_size].
    void (*group_sums)(const float *values, size_t group_count, size_t group_size, float *sums);

    /// output[i * output_stride + r] = dot(row r of the matrix, row i of the activations), for the
    /// rows first_row <= r < end_row.
    void (*multiply)(
        const phi_matrix *matrix, size_t first_row, size_t end_row, const phi_activations *input,
        float *output, size_t output_stride);

    /// Rounds one row of activations to int8 for `matrix`, which must support it: codes [columns],
    /// scales and sums [columns / group_size]. A group's scale is its largest magnitude / 127.
    ///
    /// Codes for 8-bit weights are in the order of the values. For 4 bits each block of 64, or of a
    /// smaller group, has its even elements first and then its odd ones, in the order of the low and
    /// high halves of the weights' bytes.
    void (*quantize)(
        const phi_matrix *matrix, const float *values, int8_t *codes, float *scales, float *sums);

    /// Minimum number of rows of activations from which `multiply_int8` reads them packed (see
    /// `phi_reads_packed`); 0 if it never does.
    size_t packed_count_min;
    /// The number of rows of activations in a panel.
    size_t panel_rows;

    /// Packs a panel of `input`, the rows from `first` on, into its part of `input->packed`, in the
    /// order in which `multiply_int8` of this table reads it. NULL if it never does.
    void (*pack)(const phi_matrix *matrix, const phi_int8_activations *input, size_t first);

    /// Like `multiply`, with activations that `quantize` has rounded and, if there are enough of
    /// them, `pack` has packed.
    void (*multiply_int8)(
        const phi_matrix *matrix, size_t first_row, size_t end_row,
        const phi_int8_activations *input, float *output, size_t output_stride);

    /// output[columns] = row `row` of the matrix as floats.
    void (*decode_row)(const phi_matrix *matrix, size_t row, float *output);

    /// values[c] += the sum of weights[r] * row r of a float matrix at c, for all of its rows and the
    /// columns first_column <= c < end_column.
    void (*add_rows)(
        const phi_matrix *matrix, const float *weights, size_t first_column, size_t end_column,
        float *values);

    /// output = input / sqrt(mean(input^2) + epsilon) * weight, `count` numbers each.
    void (*rms_norm)(
        const float *input, const float *weight, size_t count, float epsilon, float *output);

    /// Rotates the first 2 * half elements of a head in place: element i together with i + half.
    /// `cosines` and `sines` [half] carry the position's angles and LongRoPE's magnitude.
    void (*rotate)(float *head, const float *cosines, const float *sines, size_t half);

    /// Writes a key or value of `count` numbers as `type`: float32; float16, clamped to the largest
    /// number of the type; or int8, where the scale is the largest magnitude / 127, as in
    /// `quantize`. For finite numbers the bytes are the same in every instruction set.
    void (*store)(const float *values, size_t count, phi_float_type type, void *target);

    /// For each query: output = softmax(query keys^T * scale) values.
    ///
    /// With keys and values of 8 bits, the query is rounded to words of 16 bits, its largest magnitude to
    /// 32767, and so are the weights, multiplied by the values' scales, of each PHI_PIECE_POSITIONS positions
    /// of a page (and, with block sparsity, of a block): the dot products, and the sums of values over these positions, are sums of whole numbers.
    void (*attend)(const phi_attention_tile *tile);

    /// output = silu(gate) * up, `count` numbers each; silu(x) = x / (1 + exp(-x)).
    void (*gate)(const float *gate, const float *up, size_t count, float *output);

    /// values += addend, `count` numbers each.
    void (*add)(float *values, const float *addend, size_t count);
} phi_kernels;

/// Whether a product with `count` rows of rounded activations reads them packed.
static inline int phi_reads_packed(const phi_kernels *kernels, size_t count) {
    return kernels->packed_count_min > 0 && count >= kernels->packed_count_min;
}

/// The best table that this processor can run.
const phi_kernels *phi_kernels_best(void);

/// The table with that name; NULL if there is none or this processor does not support it.
const phi_kernels *phi_kernels_named(const char *name);

/// Table number `index`, from 0, of those that this processor supports, best first; NULL after the
/// last one.
const phi_kernels *phi_kernels_available(int index);

/// output = (input - mean) / sqrt(variance + epsilon) * weight + bias, `count` numbers each.
void phi_layer_norm(
    const phi_kernels *kernels, const float *input, const float *weight, const float *bias,
    size_t count, float epsilon, float *output);

/// output = gelu(values), `count` numbers each, with gelu(x) = x / 2 * (1 + tanh(sqrt(2 / pi) *
/// (x + 0.044715 x^3))). Overwrites `values`.
void phi_gelu(const phi_kernels *kernels, float *values, size_t count, float *output);

/// output[i] = a / (1 + exp(-1.702 a)) * (b + 1), where a is values[2 i], at most `limit`, and b is
/// values[2 i + 1], between -`limit` and `limit`. Overwrites `values` [2 * count].
void phi_gegelu(
    const phi_kernels *kernels, float *values, size_t count, float limit, float *output);

/// values += factor * addend, `count` numbers each.
void phi_add_scaled(float *values, const float *addend, size_t count, float factor);

#include "PhiRepacking.h"

/// A pool of threads that execute one piece of work at a time.
typedef struct phi_team phi_team;

/// Creates a team of `thread_count` threads, including the caller; NULL if the system refuses. Free
/// it with `phi_team_destroy`.
phi_team *phi_team_create(size_t thread_count);

/// The number of threads, at least 1.
size_t phi_team_thread_count(const phi_team *team);

/// Ends the threads. No work may be running.
void phi_team_destroy(phi_team *team);

/// Executes part `part` of a piece of work on thread `thread` of the team.
typedef void (*phi_work)(void *context, size_t part, size_t thread);

/// Calls `work` for each part, 0 <= part < part_count, on the calling thread and the team's. Each
/// begins with a share of consecutive parts, and takes parts of others when it is free. Returns when
/// all parts are done. Not reentrant: one caller at a time.
void phi_team_share(phi_team *team, phi_work work, void *context, size_t part_count);

/// output [input->count, matrix->rows] = input matrix^T, the matrix's rows shared among the team;
/// the output's rows are `output_stride` numbers apart.
void phi_team_multiply(
    phi_team *team, const phi_kernels *kernels, const phi_matrix *matrix,
    const phi_activations *input, float *output, size_t output_stride);

/// Packs activations rounded to int8 for a table that reads them packed: once for all matrices
/// that have the bits, the group size and the columns of `matrix`.
void phi_team_pack(
    phi_team *team, const phi_kernels *kernels, const phi_matrix *matrix,
    const phi_int8_activations *input);

/// `phi_team_multiply` with activations rounded to int8, after `phi_team_pack`.
void phi_team_multiply_int8(
    phi_team *team, const phi_kernels *kernels, const phi_matrix *matrix,
    const phi_int8_activations *input, float *output, size_t output_stride);

/// A product of two small matrices that changes the outputs of a linear layer (LoRA):
/// scale * (input down^T) up.
typedef struct {
    /// Float, [rank, columns of the input].
    phi_matrix down;
    /// Float, [rank, outputs].
    phi_matrix up;
    float scale;
} phi_low_rank;

/// Adds `change` for the `count` rows of `input` [count, change->down.columns] to `output`, whose rows
/// are `output_stride` numbers apart. `between` [count, rank] is overwritten.
void phi_team_add_low_rank(
    phi_team *team, const phi_kernels *kernels, const phi_low_rank *change, const float *input,
    size_t count, float *between, float *output, size_t output_stride);

/// The number of scores that `attention` needs on each thread.
size_t phi_score_count(const phi_attention *attention);

/// Computes `attention`, shared among the team.
void phi_team_attend(
    phi_team *team, const phi_kernels *kernels, const phi_attention *attention);

#endif
