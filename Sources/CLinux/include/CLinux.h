// Linux system calls that Swift's Glibc module hides, and shims for what Swift cannot express, such
// as a thread-local variable. Only CLinux.c defines _GNU_SOURCE: here it would change Glibc's types
// from the definitions that Swift's own module has.

#ifndef STOA_CLINUX_H
#define STOA_CLINUX_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>

#include "CLinuxRing.h"
#include "CLinuxSpawn.h"

/// The executor whose loop runs on the calling thread, or NULL.
const void *clinux_get_current_executor(void);

/// Sets the calling thread's executor; NULL for none.
void clinux_set_current_executor(const void *executor);

/// Names the calling thread for debuggers and `top`; Linux keeps 15 bytes and refuses more.
void clinux_name_thread(const char *name);

/// Requests time slices of `nanoseconds` for the calling thread (sched_setattr(2), Linux 6.12). The
/// scheduler prefers a thread with short slices to threads that compute, so it does not wait for
/// the end of their slices. Child threads and processes do not inherit the setting. Returns 0, or
/// -1 if the thread does not have the normal scheduling policy or the system refuses.
int clinux_set_slice_length(unsigned long long nanoseconds);

/// The length of the calling thread's time slices in nanoseconds, or 0 if the system does not
/// report it.
unsigned long long clinux_slice_length(void);

/// accept4(2).
int clinux_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

/// Raises the process' soft limit on open descriptors to its hard limit (setrlimit(2), whose types
/// Swift does not import), and returns the resulting limit.
long clinux_raise_descriptor_limit(void);

/// The English description of an errno, a string that is never freed, or NULL for an unknown
/// number.
const char *clinux_error_words(int number);

#endif
