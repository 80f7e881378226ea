// A fixed pool of threads that execute one piece of work at a time. Work arrives thousands of times
// a second in quick succession, so a waiting thread first spins on a counter and then sleeps.
//
// Each thread has a share of consecutive parts, since processors prefetch what is read in sequence.
// A thread that has finished its share takes the last parts of others, as the system may have given
// their cores to other processes; a thread that is not scheduled delays the result only if it has
// started a part.

#include "include/PhiKernels.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    /// Number of spins before sleeping: longer than the usual time until the next piece of work. The
    /// duration depends on the processor: pause instructions of some take several times as long.
    SPIN_COUNT_MAX = 1000,
    CACHE_LINE = 64,
    PART_BITS = 16,
    PARTS_MAX = (1 << PART_BITS) - 1,
};

/// The round that ends the threads.
static const uint64_t LAST_ROUND = UINT64_MAX;

/// The parts of a thread that nobody has taken, and their round. One number (the round's lower half,
/// the first part, the end), so that a late thread cannot take a part of another round.
typedef _Atomic uint64_t parts_left;

typedef struct {
    _Alignas(CACHE_LINE) parts_left left;
    phi_team *team;
    size_t index;
    /// Of all but the first, which is the caller.
    pthread_t thread;
} member;

struct phi_team {
    size_t thread_count;
    // The work of this round; set before the shares.
    _Atomic(phi_work) work;
    _Atomic(void *) context;
    atomic_size_t part_count;
    // Number of finished parts of this round.
    atomic_size_t done;
    _Atomic uint64_t round;
    // For threads that have stopped spinning.
    pthread_mutex_t mutex;
    pthread_cond_t begun;
    pthread_cond_t finished;
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
    return atomic_load_explicit(&team->round, memory_order_acquire);
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
    atomic_store_explicit(&team->round, round, memory_order_release);
    pthread_cond_broadcast(&team->begun);
    pthread_mutex_unlock(&team->mutex);
}

static bool is_done(phi_team *team) {
    return atomic_load_explicit(&team->done, memory_order_acquire) ==
           atomic_load_explicit(&team->part_count, memory_order_relaxed);
}

/// The parts first <= p < end, left of `round`, in one number.
static uint64_t left_of(uint64_t round, size_t first, size_t end) {
    return round << 2 * PART_BITS | first << PART_BITS | end;
}

typedef enum { FIRST, LAST } place;

/// Takes the first or last of the parts left of `round`; false if there is none.
static bool take_part(parts_left *left, uint64_t round, place place, size_t *part) {
    uint64_t state = atomic_load_explicit(left, memory_order_acquire);
    for (;;) {
        const size_t first = state >> PART_BITS & PARTS_MAX;
        const size_t end = state & PARTS_MAX;
        if (first == end || state != left_of(round, first, end)) return false;
        const uint64_t rest =
            place == FIRST ? left_of(round, first + 1, end) : left_of(round, first, end - 1);
        if (atomic_compare_exchange_weak_explicit(
                left, &state, rest, memory_order_acq_rel, memory_order_acquire)) {
            *part = place == FIRST ? first : end - 1;
            return true;
        }
    }
}

/// Executes parts of `round` until all are taken or another round has started.
static void take_parts(phi_team *team, uint64_t round, size_t thread) {
    // These may already belong to a later round; then taking a part of this one fails.
    const phi_work work = atomic_load_explicit(&team->work, memory_order_relaxed);
    void *context = atomic_load_explicit(&team->context, memory_order_relaxed);
    const size_t part_count = atomic_load_explicit(&team->part_count, memory_order_relaxed);
    atomic_thread_fence(memory_order_acquire);
    for (size_t i = 0; i < team->thread_count; i++) {
        member *member = &team->members[(thread + i) % team->thread_count];
        size_t part;
        while (take_part(&member->left, round, i == 0 ? FIRST : LAST, &part)) {
            work(context, part, thread);
            const size_t before = atomic_fetch_add_explicit(&team->done, 1, memory_order_acq_rel);
            if (before + 1 == part_count) {
                pthread_mutex_lock(&team->mutex);
                pthread_cond_signal(&team->finished);
                pthread_mutex_unlock(&team->mutex);
                return;
            }
        }
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
    const size_t size = sizeof(phi_team) + thread_count * sizeof(member);
    phi_team *team = aligned_alloc(CACHE_LINE, (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE);
    if (!team) return NULL;
    memset(team, 0, size);
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->begun, NULL);
    pthread_cond_init(&team->finished, NULL);
    for (size_t i = 0; i < thread_count; i++) {
        member *member = &team->members[i];
        member->team = team;
        member->index = i;
        // Threads wait for the first round, before which the count is complete.
        team->thread_count = i;
        if (i > 0 && pthread_create(&member->thread, NULL, run_member, member) != 0) {
            phi_team_destroy(team);
            return NULL;
        }
    }
    team->thread_count = thread_count;
    return team;
}

size_t phi_team_thread_count(const phi_team *team) { return team->thread_count; }

void phi_team_destroy(phi_team *team) {
    begin_round(team, LAST_ROUND);
    for (size_t i = 1; i < team->thread_count; i++) pthread_join(team->members[i].thread, NULL);
    pthread_cond_destroy(&team->finished);
    pthread_cond_destroy(&team->begun);
    pthread_mutex_destroy(&team->mutex);
    free(team);
}

void phi_team_share(phi_team *team, phi_work work, void *context, size_t part_count) {
    const size_t thread_count = team->thread_count;
    if (thread_count == 1 || part_count <= 1 || part_count > PARTS_MAX) {
        for (size_t part = 0; part < part_count; part++) work(context, part, 0);
        return;
    }
    // All shares of the last round are empty, so a late thread that sees these takes no part.
    atomic_store_explicit(&team->work, work, memory_order_relaxed);
    atomic_store_explicit(&team->context, context, memory_order_relaxed);
    atomic_store_explicit(&team->part_count, part_count, memory_order_relaxed);
    atomic_store_explicit(&team->done, 0, memory_order_relaxed);
    const uint64_t round = current_round(team) + 1;
    for (size_t i = 0; i < thread_count; i++) {
        const size_t first = part_count * i / thread_count;
        const size_t end = part_count * (i + 1) / thread_count;
        atomic_store_explicit(
            &team->members[i].left, left_of(round, first, end), memory_order_release);
    }
    begin_round(team, round);
    take_parts(team, round, 0);
    wait_until_done(team);
}
