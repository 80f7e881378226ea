// The keys that block-sparse attention hides.
#ifndef STOA_BLOCK_SPARSITY_H
#define STOA_BLOCK_SPARSITY_H

#include <math.h>

#include "include/PhiKernels.h"

/// Replaces the scores of keys that query `query` does not see by minus infinity, so that their
/// weights are zero. Its own block is always seen.
static inline void phi_hide_blocks(
    const phi_attention_tile *tile, size_t query, float *scores) {
    const phi_block_sparsity *sparsity = tile->sparsity;
    const size_t positions = sparsity->block_positions;
    const size_t own_block = (tile->key_counts[query] - 1) / positions;
    for (size_t block = 0; block + sparsity->local_blocks <= own_block; block++) {
        if ((block + tile->heads[query] + 1) % sparsity->stride == 0) continue;
        for (size_t i = 0; i < positions; i++) scores[block * positions + i] = -INFINITY;
    }
}

#endif
