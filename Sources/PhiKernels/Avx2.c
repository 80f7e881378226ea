// The smaller operations in AVX2, and the tables.

#if defined(__x86_64__)

#include "Avx2.h"

#define TARGET AVX2
#define TARGET_INLINE AVX2_INLINE

#include "Vectors.h"

// The entries that all AVX2 tables share. `decode_row` is the scalar one: it runs once per token.
#define AVX2_KERNELS                                                                              \
    .group_sums = group_sums, .multiply = phi_avx2_multiply, .quantize = phi_avx2_quantize,       \
    .decode_row = phi_scalar_decode_row, .add_rows = add_rows, .rms_norm = rms_norm,              \
    .rotate = rotate, .store = store, .gate = gate, .add = add,                                   \
    .packed_count_min = PACKED_COUNT_MIN

const phi_kernels phi_kernels_avx2 = {
    .name = "avx2",
    AVX2_KERNELS,
    .attend = phi_avx2_attend,
    .panel_rows = LANES,
    .pack = phi_avx2_pack,
    .multiply_int8 = phi_avx2_multiply_int8,
};

const phi_kernels phi_kernels_avxvnni = {
    .name = "avxvnni",
    AVX2_KERNELS,
    .attend = phi_avxvnni_attend,
    .panel_rows = LANES,
    .pack = phi_avxvnni_pack,
    .multiply_int8 = phi_avxvnni_multiply_int8,
};

const phi_kernels phi_kernels_avx512vnni = {
    .name = "avx512vnni",
    AVX2_KERNELS,
    .attend = phi_avx512_attend,
    .panel_rows = LANES,
    .pack = phi_avx512vnni_pack,
    .multiply_int8 = phi_avx512vnni_multiply_int8,
};

const phi_kernels phi_kernels_amx = {
    .name = "amx",
    AVX2_KERNELS,
    .attend = phi_avx512_attend,
    .panel_rows = PHI_PANEL_ROWS_MAX,
    .pack = phi_amx_pack,
    .multiply_int8 = phi_amx_multiply_int8,
};

#endif
