// Weights of GGUF files, and the layout of the kernels in which they are written.
#ifndef STOA_PHI_REPACKING_H
#define STOA_PHI_REPACKING_H

#include "PhiKernels.h"

/// Types of blocks of quantized weights in GGUF files, by ggml's numbers.
typedef enum {
    PHI_Q4_0 = 2,
    PHI_Q4_1 = 3,
    PHI_Q5_0 = 6,
    PHI_Q5_1 = 7,
    PHI_Q8_0 = 8,
    PHI_Q4_K = 12,
    PHI_Q5_K = 13,
    PHI_Q6_K = 14,
} phi_block_type;

/// Weights in blocks, and the affine matrix in whose layout they are written: its `weights`,
/// `scales` and `biases` point to memory that nothing else uses.
typedef struct {
    phi_block_type type;
    /// [rows, columns / weights of a block], at any alignment.
    const void *blocks;
    /// Written in one of the layouts of `phi_repacked`.
    phi_matrix target;
} phi_repacking;

/// The layout, without memory, in which blocks of `type` are repacked. `columns` is a multiple of the
/// block's weights.
///
/// Exact: every weight stays the same to the last bit of float32, unless its minimum is beyond
/// float16. Not exact: scales and minimums of K types are rounded to float16, and Q6_K, whose groups
/// of 16 weights no int8 product has, to 8 bits in groups of 32; where activations are rounded to 8
/// bits, too, that is small.
phi_matrix phi_repacked(phi_block_type type, size_t rows, size_t columns, int exact);

/// Writes the rows first_row <= r < end_row of the target.
void phi_repack(const phi_repacking *repacking, size_t first_row, size_t end_row);

#endif
