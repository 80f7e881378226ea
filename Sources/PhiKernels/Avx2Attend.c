// Attention in AVX2.

#if defined(__x86_64__)

#include "Avx2.h"

#define TARGET AVX2
#define TARGET_INLINE AVX2_INLINE
#define ATTEND phi_avx2_attend

#include "Attend.h"

#endif
