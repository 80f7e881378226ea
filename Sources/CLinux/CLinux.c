#define _GNU_SOURCE
#include "CLinux.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local const void *current_executor = NULL;

const void *clinux_get_current_executor(void) { return current_executor; }

void clinux_set_current_executor(const void *executor) { current_executor = executor; }

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

// The first version of the kernel's struct sched_attr, under a name that no later C library
// declares.
struct scheduling {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

enum { RESET_ON_FORK = 1 };

int clinux_set_slice_length(unsigned long long nanoseconds) {
    struct scheduling now = {.size = sizeof now};
    if (syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) != 0 || now.policy != SCHED_OTHER) return -1;
    now.flags = RESET_ON_FORK;
    now.runtime = nanoseconds;
    return (int)syscall(SYS_sched_setattr, 0, &now, 0);
}

unsigned long long clinux_slice_length(void) {
    struct scheduling now = {.size = sizeof now};
    return syscall(SYS_sched_getattr, 0, &now, sizeof now, 0) == 0 ? now.runtime : 0;
}

int clinux_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    return accept4(descriptor, address, length, flags);
}

const char *clinux_error_words(int number) { return strerrordesc_np(number); }

long clinux_raise_descriptor_limit(void) {
    struct rlimit limits;
    if (getrlimit(RLIMIT_NOFILE, &limits) != 0) return 1024;
    if (limits.rlim_cur < limits.rlim_max) {
        struct rlimit raised = {limits.rlim_max, limits.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limits = raised;
    }
    return limits.rlim_cur > LONG_MAX ? LONG_MAX : (long)limits.rlim_cur;
}
