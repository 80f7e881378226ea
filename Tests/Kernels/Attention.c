// Attention of several queries to keys and values in pages.

#include "Comparison.h"

enum {
    HEAD_MAX = 128,
    KEYS_MAX = 70,
    PAGE_POSITIONS_MAX = 40,
    PAGES_MAX = KEYS_MAX / 5 + 1,
};

/// Pages smaller than a piece, as large, and larger.
static const size_t page_sizes[] = {5, PHI_PIECE_POSITIONS, PAGE_POSITIONS_MAX};

static char pages[2 * (KEYS_MAX + PAGE_POSITIONS_MAX) * HEAD_MAX * 4];
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
    size_t head_size, size_t page_positions, phi_float_type type,
    const phi_block_sparsity *sparsity, float *output) {
    static float scores[PHI_QUERIES_MAX * KEYS_MAX];
    const size_t half = page_positions * phi_stored_size(type, head_size);
    const void *starts[PAGES_MAX];
    for (size_t i = 0; i * page_positions < KEYS_MAX; i++) starts[i] = pages + i * 2 * half;
    phi_attention_tile tile = {
        .cached = {
            .pages = starts,
            .page_positions = page_positions,
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

/// A number of queries of a tile.
static size_t random_query_count(const phi_block_sparsity *sparsity) {
    static const size_t many[] = {16, 32};
    if (!sparsity && random_count(0, 1)) return many[random_count(0, 1)];
    return random_count(1, PHI_FEW_QUERIES_MAX);
}

void compare_attention(phi_float_type type) {
    static const size_t sizes[] = {2, 7, 20, 32, 96, HEAD_MAX};
    static float one[PHI_QUERIES_MAX * HEAD_MAX], other[PHI_QUERIES_MAX * HEAD_MAX];
    static float alone[HEAD_MAX];
    for (size_t round = 0; round < 6 * KEYS_MAX; round++) {
        const size_t size = sizes[round % 6];
        const size_t positions = page_sizes[random_count(0, 2)];
        const phi_block_sparsity pattern = {
            .block_positions = random_count(1, 16),
            .local_blocks = random_count(1, 3),
            .stride = random_count(1, 5),
        };
        const phi_block_sparsity *sparsity = round / 6 % 2 ? &pattern : NULL;
        const size_t query_count = random_query_count(sparsity);
        const size_t most = 1 + round / 6;
        const size_t step = random_count(0, 1) ? 2 : KEYS_MAX;
        size_t key_counts[PHI_QUERIES_MAX];
        for (size_t i = 0; i < query_count; i++) {
            const size_t fewest = i ? key_counts[i - 1] : 1;
            key_counts[i] = random_count(fewest, fewest + step < most ? fewest + step : most);
        }
        fill(queries, query_count * size);
        fill_pages(type, size);
        attend(tested, 0, query_count, key_counts, size, positions, type, sparsity, one);
        attend(scalar, 0, query_count, key_counts, size, positions, type, sparsity, other);
        check(are_near(one, other, query_count * size), "attention");
        for (size_t i = 0; i < query_count; i++) {
            attend(tested, i, 1, key_counts, size, positions, type, sparsity, alone);
            check(
                are_equal(alone, one + i * size, size * sizeof one[0]),
                "attention of one query, and of that query among others");
        }
    }
}
