// Starts other programs. Swift cannot do it: between fork and exec only async-signal-safe C is
// allowed.
#ifndef STOA_CLINUX_SPAWN_H
#define STOA_CLINUX_SPAWN_H
#include <stdbool.h>
#include <sys/types.h>

/// How to start a program. It gets its own session (so that Ctrl-C in our terminal does not reach
/// it), default signal handlers, no blocked signals, and no descriptor of ours except the two named
/// here.
struct stoa_spawn_request {
    const char *_Nonnull program;  // a path; PATH is not searched
    char *_Nullable const *_Nonnull arguments;  // with argv[0], ends with NULL
    char *_Nullable const *_Nonnull environment;  // ends with NULL
    const char *_Nullable folder;  // its working directory; NULL: ours
    int input;  // its standard input; -1: /dev/null
    int output;  // its standard output and error; -1: /dev/null
    bool changes_user;  // whether to switch to user and group
    uid_t user;
    gid_t group;
};

/// The step at which a start failed.
enum stoa_spawn_step {
    STOA_SPAWN_FORK,
    STOA_SPAWN_DESCRIPTORS,
    STOA_SPAWN_USER,
    STOA_SPAWN_FOLDER,
    STOA_SPAWN_EXEC,
};

/// Starts a program and returns 0 with its process id, or an errno with the step that failed.
int stoa_spawn(
    const struct stoa_spawn_request *_Nonnull request, pid_t *_Nonnull process,
    enum stoa_spawn_step *_Nonnull failed);

/// pipe2(2) with O_CLOEXEC, which Swift does not import: ends[0] is the read end, ends[1] the write
/// end.
int stoa_pipe(int *_Nonnull ends);
#endif
