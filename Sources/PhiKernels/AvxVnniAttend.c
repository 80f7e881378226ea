// Attention in AVX2, with the dot products of words of AVX-VNNI.

#if defined(__x86_64__)

#include "Avx2.h"

#define TARGET __attribute__((target("avx2,fma,f16c,avxvnni")))
#define TARGET_INLINE static inline __attribute__((always_inline)) TARGET
#define ATTEND phi_avxvnni_attend

#define MULTIPLY_ADD_WORDS(sum, a, b) _mm256_dpwssd_avx_epi32(sum, a, b)

#include "Avx2Words.h"

enum { KEYS_OF_FOUR = 2, REGISTERS_OF_FOUR = 2, SUMS_OF_MANY = 8 };

#include "Attend.h"

#endif
