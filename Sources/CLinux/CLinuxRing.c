// A ring has two queues in memory that the kernel shares: requests, whose tail we move and whose
// head the kernel moves, and results, the other way round. The side that moves an index has written
// the entries before it (release), and the other side reads the index before the entries (acquire).
#define _GNU_SOURCE
#include "CLinuxRing.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Linux 6.1: one thread uses the ring, and results are written when it enters the kernel.
// Linux 5.18: one request that is invalid does not end the submission of those behind it.
#ifndef IORING_SETUP_SUBMIT_ALL
#define IORING_SETUP_SUBMIT_ALL (1U << 7)
#endif
#ifndef IORING_SETUP_SINGLE_ISSUER
#define IORING_SETUP_SINGLE_ISSUER (1U << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN
#define IORING_SETUP_DEFER_TASKRUN (1U << 13)
#endif

struct clinux_ring {
    int descriptor;
    unsigned entries;
    /// The memory with both queues' indices and the results, and that of the requests.
    void *queues;
    size_t queues_size;
    struct io_uring_sqe *requests;
    size_t requests_size;
    unsigned *request_head, *request_tail, request_mask;
    struct io_uring_cqe *results;
    unsigned *result_head, *result_tail, result_mask;
};

static int enter(struct clinux_ring *ring, unsigned submitted, unsigned awaited, unsigned flags) {
    return (int)syscall(SYS_io_uring_enter, ring->descriptor, submitted, awaited, flags, NULL, 0);
}

static size_t larger(size_t one, size_t other) { return one > other ? one : other; }

// Maps the memory of a ring. Returns 0, or -1 with errno.
static int map(struct clinux_ring *ring, const struct io_uring_params *parameters) {
    const struct io_sqring_offsets *request = &parameters->sq_off;
    const struct io_cqring_offsets *result = &parameters->cq_off;
    ring->queues_size = larger(
        request->array + parameters->sq_entries * sizeof(unsigned),
        result->cqes + parameters->cq_entries * sizeof(struct io_uring_cqe));
    ring->requests_size = parameters->sq_entries * sizeof(struct io_uring_sqe);
    const int access = PROT_READ | PROT_WRITE, kind = MAP_SHARED | MAP_POPULATE;
    ring->queues = mmap(NULL, ring->queues_size, access, kind, ring->descriptor, IORING_OFF_SQ_RING);
    if (ring->queues == MAP_FAILED) return -1;
    ring->requests = mmap(NULL, ring->requests_size, access, kind, ring->descriptor, IORING_OFF_SQES);
    if (ring->requests == MAP_FAILED) return -1;

    char *base = ring->queues;
    ring->entries = parameters->sq_entries;
    ring->request_head = (unsigned *)(base + request->head);
    ring->request_tail = (unsigned *)(base + request->tail);
    ring->request_mask = *(unsigned *)(base + request->ring_mask);
    ring->result_head = (unsigned *)(base + result->head);
    ring->result_tail = (unsigned *)(base + result->tail);
    ring->result_mask = *(unsigned *)(base + result->ring_mask);
    ring->results = (struct io_uring_cqe *)(base + result->cqes);
    // Slot i of the queue is always request i.
    unsigned *slots = (unsigned *)(base + request->array);
    for (unsigned index = 0; index < ring->entries; index++) slots[index] = index;
    return 0;
}

struct clinux_ring *clinux_ring_open(unsigned entries) {
    struct clinux_ring *ring = calloc(1, sizeof *ring);
    if (!ring) return NULL;
    ring->queues = MAP_FAILED;
    ring->requests = MAP_FAILED;
    struct io_uring_params parameters = {
        .flags = IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
    // Closed on exec.
    ring->descriptor = (int)syscall(SYS_io_uring_setup, entries, &parameters);
    if (ring->descriptor < 0 || map(ring, &parameters) != 0) {
        int error = errno;
        clinux_ring_close(ring);
        errno = error;
        return NULL;
    }
    return ring;
}

void clinux_ring_close(struct clinux_ring *ring) {
    if (ring->requests != MAP_FAILED) munmap(ring->requests, ring->requests_size);
    if (ring->queues != MAP_FAILED) munmap(ring->queues, ring->queues_size);
    if (ring->descriptor >= 0) close(ring->descriptor);
    free(ring);
}

// Queues `count` sends, which have room, and returns how many the kernel has taken.
static unsigned submit(struct clinux_ring *ring, const struct clinux_send *sends, unsigned count) {
    const unsigned start = *ring->request_tail;
    for (unsigned index = 0; index < count; index++) {
        struct io_uring_sqe *request = &ring->requests[(start + index) & ring->request_mask];
        memset(request, 0, sizeof *request);
        request->opcode = IORING_OP_SEND;
        request->fd = sends[index].descriptor;
        request->addr = (__u64)(uintptr_t)sends[index].bytes;
        request->len = sends[index].length;
        // A send that would wait fails with EAGAIN at once; the kernel does not wait for the socket.
        request->msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL;
        request->user_data = index;
    }
    __atomic_store_n(ring->request_tail, start + count, __ATOMIC_RELEASE);
    unsigned taken = 0;
    while (taken < count) {
        int result = enter(ring, count - taken, 0, 0);
        taken = __atomic_load_n(ring->request_head, __ATOMIC_ACQUIRE) - start;
        if (result == 0 || (result < 0 && errno != EINTR)) break;
    }
    // Takes back the others: without a polling thread of the kernel only `enter` reads the tail.
    if (taken < count) __atomic_store_n(ring->request_tail, start + taken, __ATOMIC_RELEASE);
    return taken;
}

// Reads the results of `count` submitted sends. Returns 0, or -1 with errno.
static int collect(struct clinux_ring *ring, struct clinux_send *sends, unsigned count) {
    unsigned missing = count;
    while (1) {
        unsigned head = *ring->result_head;
        const unsigned tail = __atomic_load_n(ring->result_tail, __ATOMIC_ACQUIRE);
        for (; head != tail; head++, missing--) {
            const struct io_uring_cqe *result = &ring->results[head & ring->result_mask];
            sends[result->user_data].result = result->res;
        }
        __atomic_store_n(ring->result_head, head, __ATOMIC_RELEASE);
        if (missing == 0) return 0;
        // Results are normally there when `enter` has returned from submitting.
        if (enter(ring, 0, missing, IORING_ENTER_GETEVENTS) < 0 && errno != EINTR) return -1;
    }
}

unsigned clinux_ring_send(struct clinux_ring *ring, struct clinux_send *sends, unsigned count) {
    unsigned done = 0;
    while (done < count) {
        const unsigned rest = count - done;
        const unsigned round = rest < ring->entries ? rest : ring->entries;
        // Of a send whose result is lost nobody knows what the socket has taken.
        for (unsigned index = 0; index < round; index++) sends[done + index].result = -EIO;
        const unsigned taken = submit(ring, sends + done, round);
        if (taken > 0 && collect(ring, sends + done, taken) != 0) return done + taken;
        done += taken;
        if (taken < round) break;
    }
    return done;
}
