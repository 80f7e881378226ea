// Changes of products by matrices of low rank, shared among threads. As in TeamWork.c, neither the
// partition nor the number of rows changes a result.

#include "TeamWork.h"

enum {
    /// Rows of the input in a part of the first product.
    INPUT_ROWS = 4,
    /// Outputs in a part of the second one: with a rank of 16, its matrix' part stays in the L1 cache
    /// for all rows.
    OUTPUTS = 256,
};

typedef struct {
    const phi_kernels *kernels;
    const phi_low_rank *change;
    const float *input;
    size_t count;
    float *between;
    float *output;
    size_t output_stride;
} low_rank_work;

/// between = scale * (input down^T), for a few rows.
static void reduce_rows(void *context, size_t part, size_t thread) {
    (void)thread;
    const low_rank_work *work = context;
    const phi_matrix *down = &work->change->down;
    const size_t first = part * INPUT_ROWS;
    const size_t left = work->count - first;
    const phi_activations input = {
        .values = work->input + first * down->columns,
        .count = left < INPUT_ROWS ? left : INPUT_ROWS,
    };
    float *between = work->between + first * down->rows;
    work->kernels->multiply(down, 0, down->rows, &input, between, down->rows);
    for (size_t i = 0; i < input.count * down->rows; i++) between[i] *= work->change->scale;
}

/// output += between up, for some of the outputs of all rows.
static void add_outputs(void *context, size_t part, size_t thread) {
    (void)thread;
    const low_rank_work *work = context;
    const phi_matrix *up = &work->change->up;
    const size_t first = part * OUTPUTS;
    const size_t end = up->columns - first < OUTPUTS ? up->columns : first + OUTPUTS;
    for (size_t i = 0; i < work->count; i++) {
        work->kernels->add_rows(
            up, work->between + i * up->rows, first, end, work->output + i * work->output_stride);
    }
}

void phi_team_add_low_rank(
    phi_team *team, const phi_kernels *kernels, const phi_low_rank *change, const float *input,
    size_t count, float *between, float *output, size_t output_stride) {
    low_rank_work work = {
        .kernels = kernels,
        .change = change,
        .input = input,
        .count = count,
        .between = between,
        .output = output,
        .output_stride = output_stride,
    };
    const phi_matrix *down = &change->down;
    const phi_matrix *up = &change->up;
    phi_team_share_large(
        team, reduce_rows, &work, (count + INPUT_ROWS - 1) / INPUT_ROWS,
        count * down->rows * down->columns);
    phi_team_share_large(
        team, add_outputs, &work, (up->columns + OUTPUTS - 1) / OUTPUTS,
        count * up->rows * up->columns);
}
