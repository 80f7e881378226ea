// Listening sockets passed by a service manager: the protocol of sd_listen_fds(3). Connections wait
// in their backlog while a server is replaced, so none is refused.

import CLinux
import EventLoop
import Glibc

/// The listening sockets that this process was started with.
public enum InheritedSockets {
    /// The first descriptor number, SD_LISTEN_FDS_START.
    private static let first: Int32 = 3
    private static let countMax: Int32 = 64

    /// Takes ownership of the LISTEN_FDS sockets if LISTEN_PID is this process. Child processes do
    /// not inherit them. Call it once, before other descriptors are opened.
    /// - Parameter environment: the environment variables of the process.
    /// - Returns: the descriptor numbers; empty if there are none for this process.
    /// - Throws: `badAddress` if one of them is not a listening stream socket.
    public static func take(
        environment: [String: String]
    ) throws(NetworkError) -> [Int32] {
        try take(environment: environment, process: getpid(), first: first)
    }

    /// The same for another process id and other numbers, for tests.
    package static func take(
        environment: [String: String],
        process: Int32,
        first: Int32
    ) throws(NetworkError) -> [Int32] {
        guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == process,
            let text = environment["LISTEN_FDS"]
        else { return [] }
        guard let count = Int32(text), (0...countMax).contains(count) else {
            throw .badAddress("LISTEN_FDS is not a number up to \(countMax): \(text)")
        }
        let numbers = Array(first..<(first + count))
        for number in numbers { try prepare(number) }
        return numbers
    }

    /// Sets the flags that our own listening sockets have.
    private static func prepare(_ number: Int32) throws(NetworkError) {
        let isStream = option(SO_TYPE, of: number) == Int32(SOCK_STREAM.rawValue)
        guard isStream, option(SO_ACCEPTCONN, of: number) == 1 else {
            throw .badAddress("descriptor \(number) is not a listening stream socket")
        }
        do {
            try systemCall("fcntl") { fcntl(number, F_SETFD, FD_CLOEXEC) }
            let flags = try systemCall("fcntl") { fcntl(number, F_GETFL) }
            try systemCall("fcntl") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
        } catch {
            throw .system(error)
        }
    }

    /// The value of a socket option; nil if the descriptor is not a socket.
    private static func option(_ name: Int32, of number: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(number, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
}
