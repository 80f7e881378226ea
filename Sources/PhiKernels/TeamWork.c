// The kernels that are worth sharing among threads, and how they are cut. Cuts change no result:
// each element is computed by one thread, the same way wherever the cuts lie.

#include "Team.h"

/// Fewer multiply-adds than this are done before another thread has woken up to help.
static const size_t SHARED_WORK_MIN = 1000000;

/// Where part `part` of `part_count` about equal parts of `count` begins.
static size_t part_start(size_t count, size_t part, size_t part_count) {
    return count / part_count * part + (count % part_count * part) / part_count;
}

/// Shares `work` among the team, or does it here where `operation_count` is small.
static void run(phi_team *team, phi_work work, const void *context, size_t operation_count) {
    if (operation_count < SHARED_WORK_MIN) {
        work(context, 0, 1);
    } else {
        phi_team_run(team, work, context);
    }
}

typedef struct {
    const phi_kernels *kernels;
    const phi_matrix *matrix;
    const phi_activations *input;
    float *output;
} product;

static void multiply_part(const void *context, size_t part, size_t part_count) {
    const product *product = context;
    const size_t rows = product->matrix->rows;
    product->kernels->multiply(
        product->matrix, part_start(rows, part, part_count),
        part_start(rows, part + 1, part_count), product->input, product->output, rows);
}

void phi_team_multiply(
    phi_team *team, const phi_kernels *kernels, const phi_matrix *matrix,
    const phi_activations *input, float *output) {
    const product product = {
        .kernels = kernels, .matrix = matrix, .input = input, .output = output};
    run(team, multiply_part, &product, matrix->rows * matrix->columns * input->count);
}

typedef struct {
    const phi_kernels *kernels;
    const phi_attention *attention;
} attention_work;

/// Query head `head` of query `query`, with the scores buffer of thread `part`.
static phi_attention_head one_head(
    const phi_attention *all, size_t query, size_t head, size_t part) {
    const size_t key_head = head / (all->head_count / all->key_head_count);
    const size_t cached = key_head * all->capacity * all->head_size;
    return (phi_attention_head){
        .query = all->queries + query * all->query_stride + head * all->head_size,
        .keys = all->keys + cached,
        .values = all->values + cached,
        .key_count = all->first_position + query + 1,
        .head_size = all->head_size,
        .scale = all->scale,
        .scores = all->scores + part * all->scores_stride,
        .output = all->output + (query * all->head_count + head) * all->head_size,
    };
}

static void attend_part(const void *context, size_t part, size_t part_count) {
    const attention_work *work = context;
    const phi_attention *all = work->attention;
    const size_t count = all->query_count * all->head_count;
    const size_t end = part_start(count, part + 1, part_count);
    for (size_t item = part_start(count, part, part_count); item < end; item++) {
        const phi_attention_head head =
            one_head(all, item / all->head_count, item % all->head_count, part);
        work->kernels->attend(&head);
    }
}

void phi_team_attend(
    phi_team *team, const phi_kernels *kernels, const phi_attention *attention) {
    const attention_work work = {.kernels = kernels, .attention = attention};
    const size_t key_count = attention->first_position + attention->query_count;
    run(team, attend_part, &work,
        2 * key_count * attention->query_count * attention->head_count * attention->head_size);
}
