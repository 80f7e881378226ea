// Attention in NEON.

#if defined(__aarch64__)

#include "NeonWords.h"

#define TARGET
#define TARGET_INLINE NEON_INLINE
#define ATTEND phi_neon_attend

enum { KEYS_OF_FOUR = 2, REGISTERS_OF_FOUR = 2, SUMS_OF_MANY = 16 };

#include "Attend.h"

#endif
