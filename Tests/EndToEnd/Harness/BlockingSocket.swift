// A blocking connection to this machine, with a deadline for each call.

import Glibc

/// A connected socket.
final class BlockingSocket {
    private typealias Option = (level: Int32, name: Int32, value: Int32)

    /// Ethernet's segment size and a small window. Those of loopback are so large that the kernel
    /// alone buffers megabytes for a client that does not read.
    private static let narrow: [Option] = [
        (SOL_SOCKET, SO_RCVBUF, 4096), (Int32(IPPROTO_TCP), TCP_MAXSEG, 1400),
    ]

    private let descriptor: Int32

    /// Connects to a port of this machine; with `isNarrow`, like a distant client.
    convenience init(port: UInt16, isNarrow: Bool = false) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        try self.init(AF_INET, &address, "port \(port)", isNarrow ? Self.narrow : [])
    }

    /// Connects to a Unix socket.
    convenience init(path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { field in
            field.copyBytes(from: path.utf8.prefix(field.count - 1))
        }
        try self.init(AF_UNIX, &address, path)
    }

    private init<Address>(
        _ family: Int32,
        _ address: inout Address,
        _ place: String,
        _ options: [Option] = []
    ) throws {
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        for option in options {
            var value = option.value
            let size = socklen_t(MemoryLayout<Int32>.size)
            setsockopt(descriptor, option.level, option.name, &value, size)
        }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        // `deinit`, which also runs here, closes the descriptor.
        guard status == 0 else { throw HarnessError("no connection to \(place): errno \(errno)") }
    }

    deinit { close(descriptor) }

    /// Sends all of `bytes`.
    func send(_ bytes: [UInt8], _ deadline: Deadline) throws {
        var sent = 0
        while sent < bytes.count {
            try waitUntilWritable(descriptor, deadline, "sending")
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.send(
                    descriptor,
                    bytes.baseAddress?.advanced(by: sent),
                    bytes.count - sent,
                    flags
                )
            }
            if count < 0, errno != EINTR, errno != EAGAIN {
                throw HarnessError("sending: errno \(errno)")
            }
            sent += max(0, count)
        }
    }

    /// Waits for data and returns it; empty at the end of the stream.
    func receive(_ deadline: Deadline) throws -> [UInt8] {
        try waitUntilReadable(descriptor, deadline, "receiving")
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return [] }
        return Array(chunk[..<count])
    }

    /// Returns data that has arrived; nil if there is none, empty at the end of the stream.
    func receiveArrived() -> [UInt8]? {
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &chunk, chunk.count, Int32(MSG_DONTWAIT))
        return count < 0 ? nil : Array(chunk[..<count])
    }
}
