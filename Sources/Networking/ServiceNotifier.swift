// Notifications to the service manager: the protocol of sd_notify(3), datagrams of lines to the
// socket NOTIFY_SOCKET.

import CLinux
import Glibc

/// Sends the state of the service to the service manager.
public struct ServiceNotifier: Sendable {
    /// The interval for watchdog notifications: half of WATCHDOG_USEC; nil if the watchdog is off.
    public let watchdogPeriod: Duration?
    /// The address without its family; an abstract one starts with a zero byte.
    private let name: [UInt8]

    /// Creates a notifier; nil if NOTIFY_SOCKET is not set.
    /// - Parameter environment: the environment variables of the process.
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

    /// The service is ready.
    public func ready() { send("READY=1") }

    /// The service is stopping, which may take up to `duration`.
    public func stopping(within duration: Duration) {
        let microseconds = duration.components.seconds * 1_000_000
        send("STOPPING=1\nEXTEND_TIMEOUT_USEC=\(microseconds)")
    }

    /// The watchdog notification.
    public func alive() { send("WATCHDOG=1") }

    /// Sends lines. Errors are ignored: the service runs without a manager too.
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
