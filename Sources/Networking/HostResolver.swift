// Resolves host names. getaddrinfo(3) blocks, so it runs on separate threads.

import CLinux
public import EventLoop
import Glibc

/// Resolves host names.
public final class HostResolver: Sendable {
    private let pool: WorkerPool

    /// Creates a resolver with the threads of `pool`.
    public init(pool: WorkerPool) { self.pool = pool }

    /// The addresses of `host`, in the order in which to try them; never empty.
    ///
    /// IP addresses and "localhost" need no thread.
    /// - Throws: `unknownHost`, `cancelled`, or `system` if the pool is busy.
    public func resolve(_ host: String, port: UInt16) async throws(NetworkError) -> [SocketAddress]
    {
        if let literal = SocketAddress(host: host, port: port) { return [literal] }
        let found: [SocketAddress]
        do {
            found = try await pool.run { Self.lookUp(host, port) }
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .system(SystemError(errno: EAGAIN, operation: "getaddrinfo \(host)"))
        }
        guard !found.isEmpty else { throw .unknownHost(host) }
        return found
    }

    private static func lookUp(_ host: String, _ port: UInt16) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var entry = list
        while let current = entry?.pointee {
            let form = UnsafeRawBufferPointer(
                start: current.ai_addr,
                count: Int(current.ai_addrlen)
            )
            if let address = SocketAddress(kernelForm: form) { addresses.append(address) }
            entry = current.ai_next
        }
        return addresses
    }
}
