// Attention with the 32 registers of AVX-512, as wide as AVX2's: the same sums in the same order, and
// more of them at once.

#if defined(__x86_64__)

#include "Avx2.h"

#define TARGET __attribute__((target("avx2,fma,f16c,avx512f,avx512vl,avx512vnni")))
#define TARGET_INLINE static inline __attribute__((always_inline)) TARGET
#define ATTEND phi_avx512_attend

#define MULTIPLY_ADD_WORDS(sum, a, b) _mm256_dpwssd_epi32(sum, a, b)

#include "Avx2Words.h"

enum { KEYS_OF_FOUR = 4, REGISTERS_OF_FOUR = 4, SUMS_OF_MANY = 16 };

#include "Attend.h"

#endif
