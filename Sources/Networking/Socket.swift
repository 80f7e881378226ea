// The socket calls of this module, each with its typed error.

import CLinux
import EventLoop
import Glibc

/// Socket calls. Every socket is non-blocking and closed on exec.
enum Socket {
    /// A stream socket of the family of `address`.
    static func make(for address: SocketAddress) throws(SystemError) -> FileDescriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let number = try systemCall("socket") { socket(address.family, kind, 0) }
        return FileDescriptor(owning: number)
    }

    /// Two connected Unix sockets.
    static func pair() throws(SystemError) -> (Int32, Int32) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        var numbers: [Int32] = [-1, -1]
        try systemCall("socketpair") { socketpair(AF_UNIX, kind, 0, &numbers) }
        return (numbers[0], numbers[1])
    }

    /// Accepts a connection as accept4(2) does: -1 and errno where there is none.
    static func accept(_ listener: Int32) -> (result: Int32, address: SocketAddress) {
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return SocketAddress.read { clinux_accept4(listener, $0, $1, flags) }
    }

    /// Sets an option that is a number or a switch.
    static func set(
        _ descriptor: Int32,
        level: Int32,
        option: Int32,
        to value: Int32
    ) throws(SystemError) {
        var value = value
        let size = socklen_t(MemoryLayout<Int32>.size)
        try systemCall("setsockopt") { setsockopt(descriptor, level, option, &value, size) }
    }

    /// Sends small writes at once: the write queue has gathered what belongs together. Does nothing
    /// for a Unix socket.
    static func sendWithoutDelay(_ descriptor: Int32, _ address: SocketAddress) {
        guard address.family != AF_UNIX else { return }
        try? set(descriptor, level: Int32(IPPROTO_TCP), option: TCP_NODELAY, to: 1)
    }

    /// The error that a connect ended with, or nil where it succeeded.
    static func pendingError(_ descriptor: Int32) throws(SystemError) -> SystemError? {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        try systemCall("getsockopt") {
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size)
        }
        return number == 0 ? nil : SystemError(errno: number, operation: "connect")
    }

    /// Receives into `buffer`.
    /// - Returns: the number of bytes, 0 at the peer's end, nil where nothing is there yet.
    static func receive(
        _ descriptor: Int32,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(SystemError) -> Int? {
        do {
            return try systemCall("recv") { recv(descriptor, buffer.baseAddress, buffer.count, 0) }
        } catch  where error.errno == EAGAIN {
            return nil
        }
    }

    /// Whether bytes have come that were not received.
    static func hasUnreadBytes(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) > 0
    }

    /// How many bytes the system holds that the peer has not acknowledged; 0 where it does not say.
    static func unacknowledgedByteCount(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Sends the first bytes of `queue`, without a signal where the peer is gone.
    /// - Returns: how many went, nil where there is no room.
    static func send(_ descriptor: Int32, _ queue: WriteQueue) throws(SystemError) -> Int? {
        // One piece is what a flush usually finds, and send(2) is the cheaper call.
        if queue.pieceCount == 1 {
            return try queue.withFirst { bytes throws(SystemError) in try send(descriptor, bytes) }
        }
        do {
            return try systemCall("sendmsg") { queue.withVectors { send(descriptor, $0) } }
        } catch  where error.errno == EAGAIN {
            return nil
        }
    }

    /// Sends `bytes`, without a signal where the peer is gone.
    /// - Returns: how many went, nil where there is no room.
    static func send(
        _ descriptor: Int32,
        _ bytes: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int? {
        do {
            return try systemCall("send") {
                Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
        } catch  where error.errno == EAGAIN {
            return nil
        }
    }

    /// Sends `bytes`, as far as there is room.
    static func send(_ descriptor: Int32, _ bytes: [UInt8]) throws(SystemError) -> Int? {
        let result = bytes.withUnsafeBytes { bytes -> Result<Int?, SystemError> in
            do throws(SystemError) {
                return .success(try send(descriptor, bytes))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Sends three pieces, of which the later two are often empty.
    /// - Returns: how many bytes went, nil where there is no room.
    static func send(
        _ descriptor: Int32,
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        _ third: UnsafeRawBufferPointer
    ) throws(SystemError) -> Int? {
        if second.isEmpty, third.isEmpty { return try send(descriptor, first) }
        do {
            return try systemCall("sendmsg") {
                withUnsafeTemporaryAllocation(of: iovec.self, capacity: 3) { vectors in
                    func set(_ index: Int, _ bytes: UnsafeRawBufferPointer) {
                        let base = UnsafeMutableRawPointer(mutating: bytes.baseAddress)
                        vectors.initializeElement(
                            at: index,
                            to: iovec(iov_base: base, iov_len: bytes.count)
                        )
                    }
                    set(0, first)
                    set(1, second)
                    set(2, third)
                    return send(descriptor, vectors)
                }
            }
        } catch  where error.errno == EAGAIN {
            return nil
        }
    }

    /// Sends what `vectors` name, as sendmsg(2) does.
    private static func send(
        _ descriptor: Int32,
        _ vectors: UnsafeMutableBufferPointer<iovec>
    ) -> Int {
        var message = msghdr()
        message.msg_iov = vectors.baseAddress
        message.msg_iovlen = vectors.count
        return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
    }

    /// The address that `descriptor` is bound to.
    static func localAddress(_ descriptor: Int32) throws(SystemError) -> SocketAddress {
        let (result, address) = SocketAddress.read { getsockname(descriptor, $0, $1) }
        if result < 0 { throw SystemError.latest("getsockname") }
        return address
    }
}
