// Which instruction set runs: the best that the processor has.

#include <string.h>

#include "KernelTables.h"

const phi_kernels *phi_kernels_best(void) { return &phi_kernels_scalar; }

const phi_kernels *phi_kernels_named(const char *name) {
    return strcmp(name, phi_kernels_scalar.name) == 0 ? &phi_kernels_scalar : NULL;
}
