#define _GNU_SOURCE
#include "CLinux.h"

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

static _Thread_local const void *current_executor = NULL;

const void *clinux_get_current_executor(void) { return current_executor; }

void clinux_set_current_executor(const void *executor) { current_executor = executor; }

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

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
