// Measures the limits of the machine that an engine is measured on: memory bandwidth, and multiply-adds
// of bytes.
#ifndef STOA_MACHINE_LIMITS_H
#define STOA_MACHINE_LIMITS_H

#include <stddef.h>

/// Maximum number of threads; higher counts are reduced to it.
enum { MACHINE_THREADS_MAX = 256 };

/// Bytes per second that `thread_count` threads together read of `byte_count` bytes, which should be
/// many times the size of the caches: the fastest of `run_count` passes. 0 if memory allocation fails.
double machine_read_speed(size_t byte_count, size_t thread_count, size_t run_count);

/// Multiply-adds of 8-bit integers per second that `thread_count` threads together make in registers,
/// with the instructions of "avx2", "avx512vnni" or "amx", which processor and process must support. 0
/// for other sets.
double machine_int8_speed(const char *instruction_set, size_t thread_count);

#endif
