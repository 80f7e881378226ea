// Sends to many sockets with one system call: io_uring(7) without liburing, for sends that do not
// wait.

#ifndef STOA_CLINUX_RING_H
#define STOA_CLINUX_RING_H

/// A ring of the kernel. Only the thread that has opened it may use it.
struct clinux_ring;

/// One send(2) of a batch.
struct clinux_send {
    const void *bytes;
    unsigned length;
    int descriptor;
    /// Afterwards the number of bytes that the socket has taken, or a negative errno.
    int result;
};

/// Opens a ring for `entries` sends in one system call, a power of two. Returns NULL and sets errno
/// if the system refuses: EPERM by its settings or a system-call filter, ENOSYS or EINVAL before
/// Linux 6.1, ENOMEM.
struct clinux_ring *clinux_ring_open(unsigned entries);

/// Closes a ring.
void clinux_ring_close(struct clinux_ring *ring);

/// Does `count` sends in order with MSG_DONTWAIT and MSG_NOSIGNAL, and sets their results. All are
/// done when it returns, so their bytes need not live longer. Returns the number of sends that were
/// done: fewer than `count` only if the kernel no longer accepts any, with errno set.
unsigned clinux_ring_send(struct clinux_ring *ring, struct clinux_send *sends, unsigned count);

#endif
