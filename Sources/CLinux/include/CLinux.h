// Linux system calls that Swift's Glibc module hides, and shims for what Swift cannot express, such as
// a thread-local variable. _GNU_SOURCE stands in CLinux.c alone: here it would give Glibc's types
// other definitions than Swift's own module has.

#ifndef STOA_CLINUX_H
#define STOA_CLINUX_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "CLinuxSpawn.h"

/// The executor whose loop runs on the calling thread, or NULL.
const void *clinux_get_current_executor(void);

/// Makes `executor` the calling thread's own, or none with NULL.
void clinux_set_current_executor(const void *executor);

/// Names the calling thread for debuggers and `top`; Linux keeps 15 bytes and refuses more.
void clinux_name_thread(const char *name);

/// Asks for time slices of `nanoseconds` for the calling thread (sched_setattr(2), Linux 6.12): one that
/// works shortly and often is then put before threads that compute, and does not wait for the end of
/// theirs. Threads and processes that it starts do not inherit that. Returns 0, or -1 where the thread is
/// not scheduled normally or the system refuses.
int clinux_set_slice_length(unsigned long long nanoseconds);

/// The length of the calling thread's time slices in nanoseconds, or 0 where the system does not tell.
unsigned long long clinux_slice_length(void);

/// accept4(2).
int clinux_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

/// Raises the process' limit on open descriptors as far as it may (setrlimit(2), whose types Swift does not
/// see), and returns the limit from then on.
long clinux_raise_descriptor_limit(void);

/// The English words for an errno, which live forever, or NULL for a number that has none.
const char *clinux_error_words(int number);

#endif
