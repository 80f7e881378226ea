// Starts a program. The child calls only async-signal-safe functions, since another thread may have
// held any lock at the time of the fork. It reports a failed step through a pipe that exec closes.
#define _GNU_SOURCE
#include "CLinuxSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct report {
    enum stoa_spawn_step step;
    int error;
};

static _Noreturn void give_up(int pipe_end, enum stoa_spawn_step step) {
    struct report report = {step, errno};
    (void)!write(pipe_end, &report, sizeof report);
    _exit(127);
}

static void reset_signals(void) {
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

// Makes `descriptor` (or /dev/null for -1) available as `number`.
static int place(int descriptor, int number) {
    int source = descriptor >= 0 ? descriptor : open("/dev/null", O_RDWR | O_CLOEXEC);
    if (source < 0) return -1;
    if (source == number) return fcntl(number, F_SETFD, 0);
    return dup2(source, number);
}

static void close_the_rest_at_exec(void) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3u, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) == 0) return;
#endif
    long count = sysconf(_SC_OPEN_MAX);
    if (count < 0 || count > 65536) count = 65536;
    for (int number = 3; number < count; number++) fcntl(number, F_SETFD, FD_CLOEXEC);
}

// Uses system calls directly: glibc's functions of the same name would signal the parent's other
// threads, which the child does not have.
static int become(uid_t user, gid_t group) {
    if (syscall(SYS_setgroups, 0, NULL) != 0) return -1;
    if (syscall(SYS_setresgid, group, group, group) != 0) return -1;
    return (int)syscall(SYS_setresuid, user, user, user);
}

static _Noreturn void run_child(const struct stoa_spawn_request *request, int pipe_end) {
    reset_signals();
    setsid();
    umask(077);
    if (place(request->input, 0) < 0 || place(request->output, 1) < 0 || dup2(1, 2) < 0)
        give_up(pipe_end, STOA_SPAWN_DESCRIPTORS);
    close_the_rest_at_exec();
    if (request->changes_user && become(request->user, request->group) != 0)
        give_up(pipe_end, STOA_SPAWN_USER);
    if (request->folder && chdir(request->folder) != 0) give_up(pipe_end, STOA_SPAWN_FOLDER);
    execve(request->program, request->arguments, request->environment);
    give_up(pipe_end, STOA_SPAWN_EXEC);
}

int stoa_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

int stoa_spawn(
    const struct stoa_spawn_request *request, pid_t *process, enum stoa_spawn_step *failed) {
    int ends[2];
    *failed = STOA_SPAWN_FORK;
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    pid_t child = fork();
    if (child < 0) {
        int error = errno;
        close(ends[0]);
        close(ends[1]);
        return error;
    }
    if (child == 0) run_child(request, ends[1]);

    close(ends[1]);
    struct report report;
    ssize_t count;
    do {
        count = read(ends[0], &report, sizeof report);
    } while (count < 0 && errno == EINTR);
    close(ends[0]);
    if (count != sizeof report) {
        *process = child;
        return 0;
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    *failed = report.step;
    return report.error;
}
