// io_uring(7), for sends only. docs/decisions/0056-a-batch-of-sends.md says why nothing else uses
// it.

import CLinux
import EventLoop
import Glibc

/// A ring of the kernel, for the thread that has opened it.
final class SendRing {
    private let ring: OpaquePointer

    /// Opens a ring for `capacity` sends in one system call.
    /// - Throws: the refusal of the system: `EPERM` by its settings or a system-call filter,
    ///   `ENOSYS` or `EINVAL` before Linux 6.1, `ENOMEM`.
    init(capacity: Int) throws(SystemError) {
        guard let ring = clinux_ring_open(UInt32(clamping: capacity)) else {
            throw SystemError.latest("io_uring_setup")
        }
        self.ring = ring
    }

    deinit { clinux_ring_close(ring) }

    /// Does `sends` in order without waiting, and sets their results.
    /// - Returns: how many were done; fewer than all if the kernel does not take any more.
    func send(_ sends: UnsafeMutableBufferPointer<clinux_send>) -> Int {
        Int(clinux_ring_send(ring, sends.baseAddress, UInt32(sends.count)))
    }
}
