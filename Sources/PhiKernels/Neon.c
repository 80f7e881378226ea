// The smaller operations in NEON, and the tables.

#if defined(__aarch64__)

#include "Neon.h"

#define TARGET
#define TARGET_INLINE NEON_INLINE

#include "Vectors.h"

// The entries that all NEON tables share. `decode_row` is the scalar one: it runs once per token.
#define NEON_KERNELS                                                                              \
    .group_sums = group_sums, .multiply = phi_neon_multiply, .quantize = phi_neon_quantize,       \
    .decode_row = phi_scalar_decode_row, .add_rows = add_rows, .rms_norm = rms_norm,              \
    .rotate = rotate, .store = store, .attend = phi_neon_attend, .gate = gate, .add = add

const phi_kernels phi_kernels_neon = {
    .name = "neon", NEON_KERNELS, .multiply_int8 = phi_neon_multiply_int8};

const phi_kernels phi_kernels_neondotprod = {
    .name = "neondotprod", NEON_KERNELS, .multiply_int8 = phi_dotprod_multiply_int8};

const phi_kernels phi_kernels_neoni8mm = {
    .name = "neoni8mm", NEON_KERNELS, .multiply_int8 = phi_i8mm_multiply_int8};

#endif
