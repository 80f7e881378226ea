// The tables of each instruction set; Select.c chooses among them.
#ifndef STOA_KERNEL_TABLES_H
#define STOA_KERNEL_TABLES_H

#include "include/PhiKernels.h"

extern const phi_kernels phi_kernels_scalar;

#endif
