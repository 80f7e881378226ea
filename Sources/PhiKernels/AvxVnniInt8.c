// Products with activations rounded to int8 with the dot products of AVX-VNNI, which some processors have
// that lack AVX-512.

#if defined(__x86_64__)

#define TARGET __attribute__((target("avx2,fma,f16c,avxvnni")))
#define TARGET_INLINE static inline __attribute__((always_inline)) TARGET
#define PACK_INT8 phi_avxvnni_pack
#define MULTIPLY_INT8 phi_avxvnni_multiply_int8
#define ADD_DOTS_OF_FOUR(sum, a, b) _mm256_dpbusd_avx_epi32(sum, a, b)

#include "VnniDots.h"

#include "Int8Rows.h"

#endif
