// Keys and values in pages, and attention to them.
#ifndef STOA_PHI_ATTENTION_H
#define STOA_PHI_ATTENTION_H

#include "PhiKernels.h"

/// Cached keys and values: pages of `page_positions` positions, each with the heads of all layers;
/// the offsets select one head.
typedef struct {
    /// [pages of the sequence]
    const void *const *pages;
    size_t page_positions;
    /// float32, float16 or int8: page_positions of `phi_stored_size` bytes each.
    phi_float_type type;
    /// In bytes from a page's start.
    size_t keys_offset;
    size_t values_offset;
} phi_cached_head;

enum {
    /// Maximum number of queries that share a cached head.
    PHI_QUERIES_MAX = 32,
    /// The same for a tile of any number of queries, and with block sparsity.
    PHI_FEW_QUERIES_MAX = 4,
    /// Maximum size of a head: more products of a word and a code might exceed 32 bits.
    PHI_HEAD_SIZE_MAX = 512,
    /// Number of positions whose weights are rounded together where values have 8 bits.
    PHI_PIECE_POSITIONS = 32,
};

/// Block-sparse attention: a query sees the keys of its own block and of the `local_blocks` - 1
/// before it, and of earlier blocks each `stride`-th one, which differ between heads: block b
/// where b + head + 1 is a multiple of `stride`. Blocks are counted from position 0.
typedef struct {
    size_t block_positions;
    size_t local_blocks;
    size_t stride;
} phi_block_sparsity;

/// A tile of queries and the cached head that they attend to.
typedef struct {
    phi_cached_head cached;
    /// NULL if all keys of earlier positions are seen.
    const phi_block_sparsity *sparsity;
    /// The query heads, for `sparsity`.
    size_t heads[PHI_QUERIES_MAX];
    /// From 1 to PHI_FEW_QUERIES_MAX; or 16 or 32, without block sparsity.
    size_t query_count;
    /// [head_size] each
    const float *queries[PHI_QUERIES_MAX];
    /// Query i sees the keys of the first key_counts[i] positions; never fewer than query i - 1.
    size_t key_counts[PHI_QUERIES_MAX];
    size_t head_size;
    /// Multiplies each dot product.
    float scale;
    /// query_count * scores_stride numbers, overwritten.
    float *scores;
    /// At least the number of keys that the last query sees.
    size_t scores_stride;
    /// [head_size] each
    float *outputs[PHI_QUERIES_MAX];
} phi_attention_tile;

/// A sequence in a forward pass: `query_count` new positions, the rows from `first_row` on.
typedef struct {
    size_t first_row;
    size_t query_count;
    /// The position of the first query: query i sees the keys of positions 0 ... first_position +
    /// i.
    size_t first_position;
    /// See `phi_cached_head`.
    const void *const *pages;
} phi_sequence;

/// Causal attention of the new positions of several sequences, in one layer.
typedef struct {
    const phi_sequence *sequences;
    size_t sequence_count;
    /// [rows, query_stride]
    const float *queries;
    size_t query_stride;
    /// In numbers, from the first query head of a key head to that of the next one.
    size_t group_stride;
    /// The layer's first head in any page; the others follow. `pages` is the sequence's.
    phi_cached_head first_head;
    /// Key head j serves the `head_count / key_head_count` query heads from j times that number on.
    size_t head_count;
    size_t key_head_count;
    size_t head_size;
    float scale;
    /// NULL if all keys of earlier positions are seen.
    const phi_block_sparsity *sparsity;
    /// [threads of the team, score_count], overwritten; see `phi_score_count`.
    float *scores;
    size_t score_count;
    /// [rows, head_count * head_size]
    float *output;
} phi_attention;

#endif
