#ifndef STOA_PHI_KERNELS_H
#define STOA_PHI_KERNELS_H
#endif
