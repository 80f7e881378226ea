// A fixed pool of threads that execute one piece of work at a time. Work arrives thousands of times
// a second in quick succession, so a waiting thread first spins on a counter and then sleeps. A
// thread takes the next part when it is free, since the system may have given a core to other
// processes; a thread that is not scheduled delays the result only if it has started a part.

#include "include/PhiKernels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/// Number of spins before sleeping: longer than the usual time until the next piece of work. The
/// duration depends on the processor: pause instructions of some take several times as long.
enum { SPIN_COUNT_MAX = 1000 };

/// The lower bits of `state` count the parts of a round that have been taken.
enum { PART_BITS = 24 };
static const uint64_t PART_MASK = ((uint64_t)1 << PART_BITS) - 1;

/// The round that ends the threads.
static const uint64_t LAST_ROUND = UINT64_MAX >> PART_BITS;

typedef struct {
    phi_team *team;
    size_t index;
    pthread_t thread;
} member;

struct phi_team {
    size_t thread_count;
    // The work of this round; set before `state` changes to the round.
    _Atomic(phi_work) work;
    _Atomic(void *) context;
    atomic_size_t part_count;
    // The number of the round, and in the lower bits how many of its parts are taken. One number,
    // so that a late thread cannot take a part of another round.
    _Atomic uint64_t state;
    // Number of finished parts of this round.
    atomic_size_t done;
    // For threads that have stopped spinning.
    pthread_mutex_t mutex;
    pthread_cond_t begun;
    pthread_cond_t finished;
    // One for each thread except the caller.
    member members[];
};

static void pause_briefly(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    // Takes about as long as x86's pause; "yield" does nothing on a core with one hardware thread.
    __asm__ volatile("isb");
#endif
}

static uint64_t current_round(phi_team *team) {
    return atomic_load_explicit(&team->state, memory_order_acquire) >> PART_BITS;
}

/// Waits for a round after `seen` and returns it.
static uint64_t next_round(phi_team *team, uint64_t seen) {
    uint64_t round;
    for (int i = 0; i < SPIN_COUNT_MAX; i++) {
        if ((round = current_round(team)) != seen) return round;
        pause_briefly();
    }
    pthread_mutex_lock(&team->mutex);
    while ((round = current_round(team)) == seen) pthread_cond_wait(&team->begun, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
    return round;
}

/// Starts a round; wakes sleeping threads while holding the mutex, so that none misses it.
static void begin_round(phi_team *team, uint64_t round) {
    pthread_mutex_lock(&team->mutex);
    atomic_store_explicit(&team->state, round << PART_BITS, memory_order_release);
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->mutex);
}

static bool is_done(phi_team *team) {
    return atomic_load_explicit(&team->done, memory_order_acquire) ==
           atomic_load_explicit(&team->part_count, memory_order_relaxed);
}

/// Executes parts of `round` until all are taken or another round has started.
static void take_parts(phi_team *team, uint64_t round, size_t thread) {
    // These may already belong to a later round; then taking a part of this one fails.
    const phi_work work = atomic_load_explicit(&team->work, memory_order_relaxed);
    void *context = atomic_load_explicit(&team->context, memory_order_relaxed);
    const size_t part_count = atomic_load_explicit(&team->part_count, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    uint64_t state = atomic_load_explicit(&team->state, memory_order_acquire);
    while (state >> PART_BITS == round && (state & PART_MASK) < part_count) {
        if (!atomic_compare_exchange_weak_explicit(
                &team->state, &state, state + 1, memory_order_acq_rel, memory_order_acquire)) {
            continue;
        }
        work(context, state & PART_MASK, thread);
        const size_t before = atomic_fetch_add_explicit(&team->done, 1, memory_order_acq_rel);
        if (before + 1 == part_count) {
            pthread_mutex_lock(&team->mutex);
            pthread_cond_signal(&team->finished);
            pthread_mutex_unlock(&team->mutex);
            return;
        }
        state = atomic_load_explicit(&team->state, memory_order_acquire);
    }
}

static void wait_until_done(phi_team *team) {
    for (int i = 0; i < SPIN_COUNT_MAX; i++) {
        if (is_done(team)) return;
        pause_briefly();
    }
    pthread_mutex_lock(&team->mutex);
    while (!is_done(team)) pthread_cond_wait(&team->finished, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
}

static void *run_member(void *argument) {
    const member *self = argument;
    uint64_t round = 0;
    while ((round = next_round(self->team, round)) != LAST_ROUND) {
        take_parts(self->team, round, self->index);
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
    begin_round(team, LAST_ROUND);
    for (size_t i = 0; i + 1 < team->thread_count; i++) {
        pthread_join(team->members[i].thread, NULL);
    }
    pthread_cond_destroy(&team->finished);
    pthread_cond_destroy(&team->begun);
    pthread_mutex_destroy(&team->mutex);
    free(team);
}

void phi_team_share(phi_team *team, phi_work work, void *context, size_t part_count) {
    if (team->thread_count == 1 || part_count <= 1 || part_count > PART_MASK) {
        for (size_t part = 0; part < part_count; part++) work(context, part, 0);
        return;
    }
    // Marks all parts of the last round as taken before a late thread can see any field of this
    // one.
    const uint64_t last = current_round(team);
    atomic_store_explicit(&team->state, last << PART_BITS | PART_MASK, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&team->work, work, memory_order_relaxed);
    atomic_store_explicit(&team->context, context, memory_order_relaxed);
    atomic_store_explicit(&team->part_count, part_count, memory_order_relaxed);
    atomic_store_explicit(&team->done, 0, memory_order_relaxed);
    const uint64_t round = last + 1;
    begin_round(team, round);
    take_parts(team, round, 0);
    wait_until_done(team);
}
