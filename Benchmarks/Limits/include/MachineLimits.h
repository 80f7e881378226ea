// What a machine gives at most, measured where an engine is measured: how fast it reads memory, and how
// many multiply-adds of bytes it makes.
#ifndef STOA_MACHINE_LIMITS_H
#define STOA_MACHINE_LIMITS_H

#include <stddef.h>

/// The most threads that are measured together; more are taken as so many.
enum { MACHINE_THREADS_MAX = 256 };

/// Bytes a second that `thread_count` threads together read of `byte_count` bytes, which should be many
/// times what caches hold: the fastest of `run_count` passes. 0 where the system gives no memory.
double machine_read_speed(size_t byte_count, size_t thread_count, size_t run_count);

/// Multiply-adds of 8-bit integers a second that `thread_count` threads together make in registers, with
/// the instructions of "avx2", "avx512vnni" or "amx", which the processor must have and this process be
/// allowed to use. 0 for other sets.
double machine_int8_speed(const char *instruction_set, size_t thread_count);

#endif
