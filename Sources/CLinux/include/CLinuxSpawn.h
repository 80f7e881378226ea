// Starting another program, where Swift may not: between fork and exec only C is safe.
#ifndef STOA_CLINUX_SPAWN_H
#define STOA_CLINUX_SPAWN_H
#include <stdbool.h>
#include <sys/types.h>

/// How a program is started. It gets a session of its own (so that Ctrl-C at our terminal does not
/// reach it), no signal blocked or ignored, and no descriptor of ours but the two named here.
struct stoa_spawn_request {
    const char *_Nonnull program;  // a path, not searched for
    char *_Nullable const *_Nonnull arguments;  // with argv[0], ends with NULL
    char *_Nullable const *_Nonnull environment;  // ends with NULL
    const char *_Nullable folder;  // where it runs; NULL: where we are
    int input;  // its standard input; -1: /dev/null
    int output;  // its output and errors; -1: /dev/null
    bool changes_user;  // whether to become user and group
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

/// pipe2(2) with O_CLOEXEC, which Swift does not see: ends[0] reads, ends[1] writes.
int stoa_pipe(int *_Nonnull ends);
#endif
