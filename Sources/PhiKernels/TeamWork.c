// The kernels that are worth sharing among threads, and how they are cut. Cuts change no result:
// each element is computed by one thread, the same way wherever the cuts lie.

#include "include/PhiKernels.h"

enum {
    /// Rows of a matrix that a thread takes at a time.
    ROWS = 32,
    /// Fewer multiply-adds than this are done before another thread has woken up to help.
    SHARED_WORK_MIN = 1000000,
};

/// Shares `work` among the team, or does it here where `operation_count` is small.
static void share(
    phi_team *team, phi_work work, void *context, size_t part_count, size_t operation_count) {
    if (operation_count >= SHARED_WORK_MIN) {
        phi_team_share(team, work, context, part_count);
    } else {
        for (size_t part = 0; part < part_count; part++) work(context, part, 0);
    }
}

/// A product, with activations of one kind or the other.
typedef struct {
    const phi_kernels *kernels;
    const phi_matrix *matrix;
    const phi_activations *floats;
    const phi_int8_activations *int8;
    float *output;
} product;

static void multiply_rows(void *context, size_t part, size_t thread) {
    (void)thread;
    const product *product = context;
    const phi_matrix *matrix = product->matrix;
    const size_t first = part * ROWS;
    const size_t end = matrix->rows - first < ROWS ? matrix->rows : first + ROWS;
    if (product->int8) {
        product->kernels->multiply_int8(
            matrix, first, end, product->int8, product->output, matrix->rows);
    } else {
        product->kernels->multiply(
            matrix, first, end, product->floats, product->output, matrix->rows);
    }
}

static void share_product(phi_team *team, product *product, size_t count) {
    const phi_matrix *matrix = product->matrix;
    share(
        team, multiply_rows, product, (matrix->rows + ROWS - 1) / ROWS,
        matrix->rows * matrix->columns * count);
}

void phi_team_multiply(
    phi_team *team, const phi_kernels *kernels, const phi_matrix *matrix,
    const phi_activations *input, float *output) {
    product product = {
        .kernels = kernels, .matrix = matrix, .floats = input, .output = output};
    share_product(team, &product, input->count);
}

void phi_team_multiply_int8(
    phi_team *team, const phi_kernels *kernels, const phi_matrix *matrix,
    const phi_int8_activations *input, float *output) {
    product product = {.kernels = kernels, .matrix = matrix, .int8 = input, .output = output};
    share_product(team, &product, input->count);
}

typedef struct {
    const phi_kernels *kernels;
    const phi_attention *attention;
} attention_work;

/// Query head `head` of query `query`, with the scores buffer of thread `thread`.
static phi_attention_head one_head(
    const phi_attention *all, size_t query, size_t head, size_t thread) {
    const size_t key_head = head / (all->head_count / all->key_head_count);
    const size_t cached = key_head * all->capacity * all->head_size;
    return (phi_attention_head){
        .query = all->queries + query * all->query_stride + head * all->head_size,
        .keys = all->keys + cached,
        .values = all->values + cached,
        .key_count = all->first_position + query + 1,
        .head_size = all->head_size,
        .scale = all->scale,
        .scores = all->scores + thread * all->scores_stride,
        .output = all->output + (query * all->head_count + head) * all->head_size,
    };
}

static void attend_head(void *context, size_t part, size_t thread) {
    const attention_work *work = context;
    const size_t head_count = work->attention->head_count;
    const phi_attention_head head =
        one_head(work->attention, part / head_count, part % head_count, thread);
    work->kernels->attend(&head);
}

void phi_team_attend(
    phi_team *team, const phi_kernels *kernels, const phi_attention *attention) {
    attention_work work = {.kernels = kernels, .attention = attention};
    const size_t key_count = attention->first_position + attention->query_count;
    const size_t query_heads = attention->query_count * attention->head_count;
    share(
        team, attend_head, &work, query_heads,
        2 * key_count * query_heads * attention->head_size);
}
