// Measures the limits of the machine that an engine is measured on: memory bandwidth, and multiply-adds
// of bytes.
#ifndef STOA_MACHINE_LIMITS_H
#define STOA_MACHINE_LIMITS_H

#include <stddef.h>

/// Maximum number of threads; higher counts are reduced to it.
enum { MACHINE_THREADS_MAX = 256 };

/// Memory to be read, many times the size of the caches.
typedef struct machine_memory machine_memory;

/// Allocates and fills `byte_count` bytes, in large pages if the system has them; NULL if that fails. Free it
/// with `machine_memory_destroy`.
machine_memory *machine_memory_create(size_t byte_count);
void machine_memory_destroy(machine_memory *memory);

/// Seconds in which `thread_count` threads together read the next `byte_count` bytes; after the last ones the
/// first ones follow.
double machine_read_seconds(machine_memory *memory, size_t byte_count, size_t thread_count);

/// Multiply-adds of 8-bit integers per second that `thread_count` threads together make in registers,
/// with the instructions of "avx2", "avxvnni", "avx512vnni" or "amx", which processor and process must support. 0
/// for other sets.
double machine_int8_speed(const char *instruction_set, size_t thread_count);

#endif
