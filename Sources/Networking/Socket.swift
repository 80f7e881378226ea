// Socket system calls with typed errors.

import CLinux
import EventLoop
import Glibc

/// Socket calls. All sockets are non-blocking and close-on-exec.
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

    /// Accepts a connection like accept4(2): returns -1 and sets errno if there is none.
    static func accept(_ listener: Int32) -> (result: Int32, address: SocketAddress) {
        let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        return SocketAddress.read { clinux_accept4(listener, $0, $1, flags) }
    }

    /// Sets an integer or boolean option.
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

    /// Sets TCP_NODELAY: the write queue already gathers small writes. Does nothing for a Unix
    /// socket. Accepted sockets inherit it from the one that listens.
    static func sendWithoutDelay(_ descriptor: Int32, _ address: SocketAddress) {
        guard address.family != AF_UNIX else { return }
        try? set(descriptor, level: Int32(IPPROTO_TCP), option: TCP_NODELAY, to: 1)
    }

    /// The error of a connect, or nil if it succeeded.
    static func pendingError(_ descriptor: Int32) throws(SystemError) -> SystemError? {
        var number: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        try systemCall("getsockopt") {
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size)
        }
        return number == 0 ? nil : SystemError(errno: number, operation: "connect")
    }

    /// Receives into `buffer`.
    /// - Returns: the number of bytes, 0 at the peer's end, nil if nothing is available.
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

    /// Whether there are received bytes to read.
    static func hasUnreadBytes(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) > 0
    }

    /// The number of bytes in the kernel that the peer has not acknowledged; 0 if unknown.
    static func unacknowledgedByteCount(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
    }

    /// Sends the first bytes of `queue`, without SIGPIPE if the peer has closed.
    /// - Returns: the number of bytes sent, nil if the socket is full.
    static func send(
        _ descriptor: Int32,
        _ queue: borrowing WriteQueue
    ) throws(SystemError) -> Int? {
        // A flush usually has one piece, and send(2) is cheaper.
        if queue.pieceCount == 1 {
            return try queue.withFirst { bytes throws(SystemError) in try send(descriptor, bytes) }
        }
        do {
            return try systemCall("sendmsg") { queue.withVectors { send(descriptor, $0) } }
        } catch  where error.errno == EAGAIN {
            return nil
        }
    }

    /// Sends `bytes`, without SIGPIPE if the peer has closed.
    /// - Returns: the number of bytes sent, nil if the socket is full.
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

    /// Sends `bytes` as far as the socket accepts them.
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

    /// Sends three pieces, the last two of which are often empty.
    /// - Returns: the number of bytes sent, nil if the socket is full.
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

    /// Sends `vectors` with sendmsg(2).
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
