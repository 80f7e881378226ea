// Attention in NEON.

#if defined(__aarch64__)

#include "Neon.h"

#define TARGET
#define TARGET_INLINE NEON_INLINE
#define ATTEND phi_neon_attend

#include "Attend.h"

#endif
