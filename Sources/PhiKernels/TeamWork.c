// Products shared among threads. The partition does not change a result: each element is computed
// by one thread, always in the same way.

#include "TeamWork.h"

/// Number of matrix rows in a part.
enum { ROWS = 64 };

/// Minimum number of multiply-adds for sharing: less work is done before another thread has woken
/// up.
static const size_t SHARED_WORK_MIN = 1000000;

void phi_team_share_large(
    phi_team *team, phi_work work, void *context, size_t part_count, size_t operation_count) {
    if (operation_count >= SHARED_WORK_MIN) {
        phi_team_share(team, work, context, part_count);
    } else {
        for (size_t part = 0; part < part_count; part++) work(context, part, 0);
    }
}

/// A product, with activations in float32 or int8.
typedef struct {
    const phi_kernels *kernels;
    const phi_matrix *matrix;
    const phi_activations *floats;
    const phi_int8_activations *int8;
    float *output;
    size_t output_stride;
} product;

static void multiply_rows(void *context, size_t part, size_t thread) {
    (void)thread;
    const product *product = context;
    const phi_matrix *matrix = product->matrix;
    const size_t first = part * ROWS;
    const size_t end = matrix->rows - first < ROWS ? matrix->rows : first + ROWS;
    if (product->int8) {
        product->kernels->multiply_int8(
            matrix, first, end, product->int8, product->output, product->output_stride);
    } else {
        product->kernels->multiply(
            matrix, first, end, product->floats, product->output, product->output_stride);
    }
}

static void share_product(phi_team *team, product *product, size_t count) {
    const phi_matrix *matrix = product->matrix;
    phi_team_share_large(
        team, multiply_rows, product, (matrix->rows + ROWS - 1) / ROWS,
        matrix->rows * matrix->columns * count);
}

void phi_team_multiply(
    phi_team *team, const phi_kernels *kernels, const phi_matrix *matrix,
    const phi_activations *input, float *output, size_t output_stride) {
    product product = {
        .kernels = kernels,
        .matrix = matrix,
        .floats = input,
        .output = output,
        .output_stride = output_stride,
    };
    share_product(team, &product, input->count);
}

static void pack_panel(void *context, size_t part, size_t thread) {
    (void)thread;
    const product *product = context;
    const phi_kernels *kernels = product->kernels;
    kernels->pack(product->matrix, product->int8, part * kernels->panel_rows);
}

void phi_team_pack(
    phi_team *team, const phi_kernels *kernels, const phi_matrix *matrix,
    const phi_int8_activations *input) {
    if (!phi_reads_packed(kernels, input->count)) return;
    const size_t panel_rows = kernels->panel_rows;
    product product = {.kernels = kernels, .matrix = matrix, .int8 = input};
    phi_team_share_large(
        team, pack_panel, &product, (input->count + panel_rows - 1) / panel_rows,
        input->count * matrix->columns);
}

void phi_team_multiply_int8(
    phi_team *team, const phi_kernels *kernels, const phi_matrix *matrix,
    const phi_int8_activations *input, float *output, size_t output_stride) {
    product product = {
        .kernels = kernels,
        .matrix = matrix,
        .int8 = input,
        .output = output,
        .output_stride = output_stride,
    };
    share_product(team, &product, input->count);
}
