// Attention in AVX2.

#if defined(__x86_64__)

#include "Avx2.h"

#define TARGET AVX2
#define TARGET_INLINE AVX2_INLINE
#define ATTEND phi_avx2_attend

#define MULTIPLY_ADD_WORDS(sum, a, b) _mm256_add_epi32(sum, _mm256_madd_epi16(a, b))

#include "Avx2Words.h"

enum { KEYS_OF_FOUR = 2, REGISTERS_OF_FOUR = 2, SUMS_OF_MANY = 8 };

#include "Attend.h"

#endif
