// Products with activations rounded to int8 with the dot products of AVX-512 VNNI. Two panels of activations
// take 64-byte registers; fewer rows take 32-byte ones, since with wider registers memory would be the
// limit.

#if defined(__x86_64__)

#define TARGET __attribute__((target("avx2,fma,f16c,avx512f,avx512vl,avx512vnni")))
#define TARGET_INLINE static inline __attribute__((always_inline)) TARGET
#define PACK_INT8 phi_avx512vnni_pack
#define MULTIPLY_INT8 phi_avx512vnni_multiply_int8
#define ADD_DOTS_OF_FOUR(sum, a, b) _mm256_dpbusd_epi32(sum, a, b)
#define PANEL_PAIRS

#include "VnniDots.h"

#include "Int8Rows.h"

#endif
