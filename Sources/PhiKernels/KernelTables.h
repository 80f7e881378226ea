// The tables of each instruction set; Select.c chooses among them.
#ifndef STOA_KERNEL_TABLES_H
#define STOA_KERNEL_TABLES_H

#include "include/PhiKernels.h"

extern const phi_kernels phi_kernels_scalar;

#if defined(__x86_64__)
extern const phi_kernels phi_kernels_avx2;
#endif

/// The scalar `decode_row`, for tables that have no quicker one.
void phi_scalar_decode_row(const phi_matrix *matrix, size_t row, float *output);

#endif
