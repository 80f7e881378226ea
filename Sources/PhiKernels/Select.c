// Selects the best instruction set that the processor supports.

#include <stdbool.h>
#include <string.h>

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#elif defined(__x86_64__)
#include <asm/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "KernelTables.h"

/// A table and whether this processor can run it.
typedef struct {
    const phi_kernels *table;
    bool is_available;
} candidate;

enum { CANDIDATE_COUNT = 5 };

#if defined(__x86_64__)
/// Requests permission to use AMX tiles: the kernel adds their 8 KB to each thread's state only
/// after that (Linux, Documentation/arch/x86/xstate.rst). Repeated calls are allowed.
static bool may_use_tiles(void) {
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}
#endif

/// All tables, the best first; scalar code runs everywhere.
static void list_candidates(candidate candidates[CANDIDATE_COUNT]) {
    for (int i = 0; i < CANDIDATE_COUNT; i++) candidates[i] = (candidate){NULL, false};
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                          __builtin_cpu_supports("f16c");
    const bool has_avxvnni = has_avx2 && __builtin_cpu_supports("avxvnni");
    const bool has_avx512vnni = has_avx2 && __builtin_cpu_supports("avx512f") &&
                                __builtin_cpu_supports("avx512vl") &&
                                __builtin_cpu_supports("avx512vnni");
    const bool has_amx = has_avx512vnni && __builtin_cpu_supports("avx512bw") &&
                         __builtin_cpu_supports("amx-int8") && may_use_tiles();
    candidates[0] = (candidate){&phi_kernels_amx, has_amx};
    candidates[1] = (candidate){&phi_kernels_avx512vnni, has_avx512vnni};
    candidates[2] = (candidate){&phi_kernels_avxvnni, has_avxvnni};
    candidates[3] = (candidate){&phi_kernels_avx2, has_avx2};
#elif defined(__aarch64__)
    const bool has_dotprod = getauxval(AT_HWCAP) & HWCAP_ASIMDDP;
    // The i8mm table uses dot products too.
    const bool has_i8mm = has_dotprod && getauxval(AT_HWCAP2) & HWCAP2_I8MM;
    candidates[0] = (candidate){&phi_kernels_neoni8mm, has_i8mm};
    candidates[1] = (candidate){&phi_kernels_neondotprod, has_dotprod};
    candidates[2] = (candidate){&phi_kernels_neon, true};
#endif
    candidates[CANDIDATE_COUNT - 1] = (candidate){&phi_kernels_scalar, true};
}

const phi_kernels *phi_kernels_best(void) {
    candidate candidates[CANDIDATE_COUNT];
    list_candidates(candidates);
    for (int i = 0; i < CANDIDATE_COUNT; i++) {
        if (candidates[i].is_available) return candidates[i].table;
    }
    return &phi_kernels_scalar;
}

const phi_kernels *phi_kernels_named(const char *name) {
    candidate candidates[CANDIDATE_COUNT];
    list_candidates(candidates);
    for (int i = 0; i < CANDIDATE_COUNT; i++) {
        const candidate candidate = candidates[i];
        if (candidate.is_available && strcmp(candidate.table->name, name) == 0) {
            return candidate.table;
        }
    }
    return NULL;
}

const phi_kernels *phi_kernels_available(int index) {
    candidate candidates[CANDIDATE_COUNT];
    list_candidates(candidates);
    for (int i = 0; i < CANDIDATE_COUNT; i++) {
        if (candidates[i].is_available && index-- == 0) return candidates[i].table;
    }
    return NULL;
}
