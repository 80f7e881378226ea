// The keys that attention sees, and the pieces that it processes them in.
#ifndef STOA_SEEN_KEYS_H
#define STOA_SEEN_KEYS_H

#include <stdbool.h>
#include <string.h>

#include "include/PhiKernels.h"

/// The keys of the positions start <= p < end.
typedef struct {
    size_t start;
    size_t end;
} phi_keys;

/// Whether query `query` sees block `block`. Its own block is always seen.
static inline bool phi_sees_block(const phi_attention_tile *tile, size_t query, size_t block) {
    const phi_block_sparsity *sparsity = tile->sparsity;
    const size_t own_block = (tile->key_counts[query] - 1) / sparsity->block_positions;
    return block <= own_block &&
           (block + sparsity->local_blocks > own_block ||
            (block + tile->heads[query] + 1) % sparsity->stride == 0);
}

/// The first keys from position `from` on that one of the queries first <= q < end sees: all of
/// them, or what is left of a block. Empty if there are none.
static inline phi_keys phi_seen_keys(
    const phi_attention_tile *tile, size_t first, size_t end, size_t from) {
    const size_t key_count = tile->key_counts[end - 1];
    if (!tile->sparsity) return (phi_keys){from, key_count};
    const size_t positions = tile->sparsity->block_positions;
    for (size_t block = from / positions; block * positions < key_count; block++) {
        bool is_seen = false;
        for (size_t q = first; q < end && !is_seen; q++) is_seen = phi_sees_block(tile, q, block);
        if (!is_seen) continue;
        const size_t block_start = block * positions;
        const size_t block_end = block_start + positions;
        return (phi_keys){
            block_start < from ? from : block_start,
            block_end < key_count ? block_end : key_count,
        };
    }
    return (phi_keys){key_count, key_count};
}

/// The first position after those of the piece of `position`, unless its block ends before.
static inline size_t phi_piece_end(const phi_attention_tile *tile, size_t position) {
    const size_t page_positions = tile->cached.page_positions;
    const size_t page_start = position / page_positions * page_positions;
    const size_t piece = (position - page_start) / PHI_PIECE_POSITIONS;
    const size_t place = (piece + 1) * PHI_PIECE_POSITIONS;
    return page_start + (place < page_positions ? place : page_positions);
}

/// Replaces the weights of keys that query `query` does not see by zero: other queries of its tile
/// may see them.
static inline void phi_hide_blocks(
    const phi_attention_tile *tile, size_t query, float *weights) {
    if (!tile->sparsity) return;
    const size_t positions = tile->sparsity->block_positions;
    const size_t key_count = tile->key_counts[query];
    for (size_t block = 0; block * positions < key_count; block++) {
        if (phi_sees_block(tile, query, block)) continue;
        memset(weights + block * positions, 0, positions * sizeof weights[0]);
    }
}

#endif
