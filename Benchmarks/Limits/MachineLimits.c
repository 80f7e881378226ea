// Loops that measure the limits of the machine.

#include "include/MachineLimits.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/// The work of one thread.
typedef struct {
    const char *bytes;
    size_t byte_count;
    void (*multiply)(void);
    /// Keeps the compiler from removing the reads.
    uint64_t result;
} share;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/// Seconds until all threads are done, the first being the calling thread.
static double seconds_for(share *shares, size_t count, void *(*work)(void *)) {
    pthread_t threads[MACHINE_THREADS_MAX];
    bool has_thread[MACHINE_THREADS_MAX] = {false};
    const double start = now();
    for (size_t i = 1; i < count; i++) {
        has_thread[i] = pthread_create(&threads[i], NULL, work, &shares[i]) == 0;
    }
    work(&shares[0]);
    for (size_t i = 1; i < count; i++) {
        if (has_thread[i]) {
            pthread_join(threads[i], NULL);
        } else {
            work(&shares[i]);
        }
    }
    return now() - start;
}

static size_t bounded(size_t thread_count) {
    if (thread_count < 1) return 1;
    return thread_count < MACHINE_THREADS_MAX ? thread_count : MACHINE_THREADS_MAX;
}

// MARK: Reading

typedef uint64_t lanes __attribute__((vector_size(16)));

/// A step of the loop, and so the unit of work: eight independent loads.
enum { STEP = 8 * sizeof(lanes) };

static void *read_share(void *context) {
    share *const own = context;
    lanes sums[8] = {{0}};
    for (size_t start = 0; start < own->byte_count; start += STEP) {
        const lanes *const words = (const lanes *)(own->bytes + start);
        for (int i = 0; i < 8; i++) sums[i] ^= words[i];
    }
    for (int i = 0; i < 8; i++) own->result ^= sums[i][0] ^ sums[i][1];
    return NULL;
}

struct machine_memory {
    char *bytes;
    size_t byte_count;
    /// The first byte of the next pass.
    size_t next;
};

machine_memory *machine_memory_create(size_t byte_count) {
    machine_memory *memory = malloc(sizeof *memory);
    if (!memory) return NULL;
    char *const bytes =
        mmap(NULL, byte_count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (bytes == MAP_FAILED) {
        free(memory);
        return NULL;
    }
    // Huge pages if the system has them; it works without.
    madvise(bytes, byte_count, MADV_HUGEPAGE);
    // Pages that were never written all map to one zero page.
    memset(bytes, 1, byte_count);
    *memory = (machine_memory){.bytes = bytes, .byte_count = byte_count};
    return memory;
}

void machine_memory_destroy(machine_memory *memory) {
    munmap(memory->bytes, memory->byte_count);
    free(memory);
}

double machine_read_seconds(machine_memory *memory, size_t byte_count, size_t thread_count) {
    const size_t count = bounded(thread_count);
    if (byte_count > memory->byte_count) byte_count = memory->byte_count;
    if (memory->next + byte_count > memory->byte_count) memory->next = 0;
    share shares[MACHINE_THREADS_MAX] = {{0}};
    for (size_t i = 0; i < count; i++) {
        const size_t first = byte_count * i / count / STEP * STEP;
        const size_t end = byte_count * (i + 1) / count / STEP * STEP;
        shares[i].bytes = memory->bytes + memory->next + first;
        shares[i].byte_count = end - first;
    }
    memory->next += byte_count / STEP * STEP;
    return seconds_for(shares, count, read_share);
}

// MARK: Multiplying

/// Iterations of a loop of `MULTIPLIES` instructions: some hundredths of a second.
enum { ROUNDS = 10000000, MULTIPLIES = 6 };

/// A tile product takes this many times longer than a register product, so fewer are made.
enum { AMX_PART = 16 };

static void *multiply_share(void *context) {
    const share *const own = context;
    own->multiply();
    return NULL;
}

#if defined(__x86_64__)

/// Products of pairs, sums of four, and additions to accumulators, of which there are enough that none
/// waits for another.
#define AVX2_STEP(products, sum)                                  \
    "vpmaddubsw %%ymm14, %%ymm15, %%ymm" products "\n\t"          \
    "vpmaddwd %%ymm13, %%ymm" products ", %%ymm" products "\n\t"  \
    "vpaddd %%ymm" products ", %%ymm" sum ", %%ymm" sum "\n\t"

#define AVXVNNI_STEP(sum) "%{vex%} vpdpbusd %%ymm14, %%ymm15, %%ymm" sum "\n\t"

#define AVX512VNNI_STEP(sum) "vpdpbusd %%zmm14, %%zmm15, %%zmm" sum "\n\t"

/// Twelve accumulators, for two rounds at once: their latency is longer than with AVX2.
#define TWELVE(step)                                                              \
    step("0") step("1") step("2") step("3") step("4") step("5") step("6") step("7") \
        step("8") step("9") step("10") step("11")

#define CLOBBERED                                                                            \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

static void multiply_avx2(void) {
    for (int round = 0; round < ROUNDS; round++) {
        __asm__ volatile(
            AVX2_STEP("0", "6") AVX2_STEP("1", "7") AVX2_STEP("2", "8") AVX2_STEP("3", "9")
            AVX2_STEP("4", "10") AVX2_STEP("5", "11")
            : : : CLOBBERED);
    }
    __asm__ volatile("vzeroupper" : : : CLOBBERED);
}

static void multiply_avxvnni(void) {
    for (int round = 0; round < ROUNDS; round += 2) {
        __asm__ volatile(TWELVE(AVXVNNI_STEP) : : : CLOBBERED);
    }
    __asm__ volatile("vzeroupper" : : : CLOBBERED);
}

static void multiply_avx512vnni(void) {
    for (int round = 0; round < ROUNDS; round += 2) {
        __asm__ volatile(TWELVE(AVX512VNNI_STEP) : : : CLOBBERED);
    }
    __asm__ volatile("vzeroupper" : : : CLOBBERED);
}

__attribute__((target("amx-tile,amx-int8"))) static void multiply_amx(void) {
    // Sixteen rows of 64 bytes for each of eight tiles.
    static const struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t bytes_in_row[16];
        uint8_t rows[16];
    } shapes = {1, 0, {0}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
    _tile_loadconfig(&shapes);
    for (int round = 0; round < ROUNDS / AMX_PART; round++) {
        _tile_dpbusd(0, 6, 7);
        _tile_dpbusd(1, 6, 7);
        _tile_dpbusd(2, 6, 7);
        _tile_dpbusd(3, 6, 7);
        _tile_dpbusd(4, 6, 7);
        _tile_dpbusd(5, 6, 7);
    }
    _tile_release();
}

#endif

double machine_int8_speed(const char *instruction_set, size_t thread_count) {
    const size_t count = bounded(thread_count);
    share shares[MACHINE_THREADS_MAX] = {{0}};
    size_t products = 0;
#if defined(__x86_64__)
    void (*multiply)(void) = NULL;
    if (strcmp(instruction_set, "avx2") == 0) {
        multiply = multiply_avx2;
        products = 32;
    } else if (strcmp(instruction_set, "avxvnni") == 0) {
        multiply = multiply_avxvnni;
        products = 32;
    } else if (strcmp(instruction_set, "avx512vnni") == 0) {
        multiply = multiply_avx512vnni;
        products = 64;
    } else if (strcmp(instruction_set, "amx") == 0) {
        multiply = multiply_amx;
        products = 16 * 16 * 64 / AMX_PART;
    }
    for (size_t i = 0; i < count; i++) shares[i].multiply = multiply;
#else
    (void)instruction_set;
#endif
    if (products == 0) return 0;
    const double seconds = seconds_for(shares, count, multiply_share);
    return (double)products * MULTIPLIES * ROUNDS * (double)count / seconds;
}
