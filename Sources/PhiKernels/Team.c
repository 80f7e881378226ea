// A fixed set of threads that share one piece of work after the other. Work comes thousands of times
// a second and in quick succession, so a waiting thread first looks a while at a counter and only
// then goes to sleep. Who is free takes the next part: the system may have given a core to others.

#include "include/PhiKernels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/// Looks at a counter before sleeping; some 20 microseconds, more than the time between two.
enum { SPIN_COUNT_MAX = 1000 };

typedef struct {
    phi_team *team;
    size_t index;
    pthread_t thread;
} member;

struct phi_team {
    size_t thread_count;
    // Set before `round` grows, constant until all parts are done.
    phi_work work;
    void *context;
    size_t part_count;
    // Parts that somebody has taken.
    atomic_size_t taken;
    // Pieces of work begun so far; SIZE_MAX ends the threads.
    atomic_size_t round;
    // Threads that still work on this round, the caller not counted.
    atomic_size_t running;
    // For those who gave up looking.
    pthread_mutex_t mutex;
    pthread_cond_t begun;
    pthread_cond_t finished;
    // One for each thread but the caller.
    member members[];
};

static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/// Waits for a round after `seen` and returns it.
static size_t next_round(phi_team *team, size_t seen) {
    for (int i = 0; i < SPIN_COUNT_MAX; i++) {
        const size_t round = atomic_load_explicit(&team->round, memory_order_acquire);
        if (round != seen) return round;
        pause_briefly();
    }
    pthread_mutex_lock(&team->mutex);
    size_t round;
    while ((round = atomic_load_explicit(&team->round, memory_order_acquire)) == seen) {
        pthread_cond_wait(&team->begun, &team->mutex);
    }
    pthread_mutex_unlock(&team->mutex);
    return round;
}

/// Begins a round; sleepers are told under the mutex, so that none of them misses it.
static void begin_round(phi_team *team, size_t round) {
    pthread_mutex_lock(&team->mutex);
    atomic_store_explicit(&team->round, round, memory_order_release);
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->mutex);
}

/// Does parts until all are taken.
static void take_parts(phi_team *team, size_t thread) {
    size_t part;
    while ((part = atomic_fetch_add_explicit(&team->taken, 1, memory_order_relaxed)) <
           team->part_count) {
        team->work(team->context, part, thread);
    }
}

static void finish_round(phi_team *team) {
    if (atomic_fetch_sub_explicit(&team->running, 1, memory_order_acq_rel) > 1) return;
    pthread_mutex_lock(&team->mutex);
    pthread_cond_signal(&team->finished);
    pthread_mutex_unlock(&team->mutex);
}

static void wait_until_finished(phi_team *team) {
    for (int i = 0; i < SPIN_COUNT_MAX; i++) {
        if (atomic_load_explicit(&team->running, memory_order_acquire) == 0) return;
        pause_briefly();
    }
    pthread_mutex_lock(&team->mutex);
    while (atomic_load_explicit(&team->running, memory_order_acquire) > 0) {
        pthread_cond_wait(&team->finished, &team->mutex);
    }
    pthread_mutex_unlock(&team->mutex);
}

static void *run_member(void *argument) {
    const member *self = argument;
    phi_team *team = self->team;
    size_t seen = 0;
    while ((seen = next_round(team, seen)) != SIZE_MAX) {
        take_parts(team, self->index);
        finish_round(team);
    }
    return NULL;
}

phi_team *phi_team_create(size_t thread_count) {
    if (thread_count < 1) thread_count = 1;
    phi_team *team = calloc(1, sizeof *team + (thread_count - 1) * sizeof team->members[0]);
    if (!team) return NULL;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->begun, NULL);
    pthread_cond_init(&team->finished, NULL);
    team->thread_count = 1;
    for (size_t i = 0; i + 1 < thread_count; i++) {
        team->members[i] = (member){.team = team, .index = i + 1};
        if (pthread_create(&team->members[i].thread, NULL, run_member, &team->members[i]) != 0) {
            phi_team_destroy(team);
            return NULL;
        }
        team->thread_count++;
    }
    return team;
}

size_t phi_team_thread_count(const phi_team *team) { return team->thread_count; }

void phi_team_destroy(phi_team *team) {
    begin_round(team, SIZE_MAX);
    for (size_t i = 0; i + 1 < team->thread_count; i++) {
        pthread_join(team->members[i].thread, NULL);
    }
    pthread_cond_destroy(&team->finished);
    pthread_cond_destroy(&team->begun);
    pthread_mutex_destroy(&team->mutex);
    free(team);
}

void phi_team_share(phi_team *team, phi_work work, void *context, size_t part_count) {
    if (team->thread_count == 1 || part_count == 1) {
        for (size_t part = 0; part < part_count; part++) work(context, part, 0);
        return;
    }
    team->work = work;
    team->context = context;
    team->part_count = part_count;
    atomic_store_explicit(&team->taken, 0, memory_order_relaxed);
    atomic_store_explicit(&team->running, team->thread_count - 1, memory_order_relaxed);
    begin_round(team, atomic_load_explicit(&team->round, memory_order_relaxed) + 1);
    take_parts(team, 0);
    wait_until_finished(team);
}
