// What a service manager wants to be told: the protocol of sd_notify(3), datagrams of lines to the socket that
// NOTIFY_SOCKET names.

import CLinux
import Glibc

/// Tells the service manager how the service is doing.
public struct ServiceNotifier: Sendable {
    /// How often the manager wants a sign of life: half of WATCHDOG_USEC. Nil where it wants none.
    public let watchdogPeriod: Duration?
    /// The address without its family; an abstract one begins with a zero.
    private let name: [UInt8]

    /// A notifier, or nil where nobody listens.
    /// - Parameter environment: the process' variables.
    public init?(environment: [String: String]) {
        guard let socket = environment["NOTIFY_SOCKET"],
            socket.hasPrefix("/") || socket.hasPrefix("@"),
            (2...SocketAddress.unixPathBytesMax).contains(socket.utf8.count)
        else { return nil }
        var name = Array(socket.utf8)
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        self.name = name
        let isForUs = environment["WATCHDOG_PID"].map { Int32($0) == getpid() } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogPeriod = isForUs && microseconds > 0 ? .microseconds(microseconds / 2) : nil
    }

    /// The service takes requests.
    public func ready() { send("READY=1") }

    /// The service goes down, and may take so long for it.
    public func stopping(within duration: Duration) {
        let microseconds = duration.components.seconds * 1_000_000
        send("STOPPING=1\nEXTEND_TIMEOUT_USEC=\(microseconds)")
    }

    /// The service is alive.
    public func alive() { send("WATCHDOG=1") }

    /// Sends lines. A manager that does not take them is no reason to stop.
    private func send(_ lines: String) {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var form = sockaddr_un()
        form.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &form.sun_path) { $0.copyBytes(from: name) }
        let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let bytes = Array(lines.utf8)
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        withUnsafePointer(to: &form) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(descriptor, bytes, bytes.count, flags, address, size)
            }
        }
    }
}
