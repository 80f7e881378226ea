// Resolves host names on a thread: libpq would resolve them on the loop and block it.

import EventLoop
import Glibc

/// Resolves the host of a connection before libpq uses it.
package enum HostResolver {
    /// A lookup cannot be interrupted; hanging ones must not occupy more threads.
    private static let pool = try? WorkerPool(name: "pg-names", threads: 2, queueLimit: 64)

    /// The addresses of a host, each with its name, against which libpq checks certificates. Unix
    /// sockets and hosts that have an address are returned unchanged.
    /// - Throws: `connectionLost` if the name is unknown, `cancelled` for a cancelled task.
    package static func resolve(_ host: DatabaseHost) async throws(PostgresError) -> [DatabaseHost]
    {
        guard let name = host.host, host.address == nil, !name.hasPrefix("/"), !name.hasPrefix("@")
        else { return [host] }
        let addresses: [String]
        do {
            addresses = try await pool?.run { lookUp(name) } ?? []
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .connectionLost("looking up \(name): \(error)")
        }
        guard !addresses.isEmpty else { throw .connectionLost("no address of \(name) is known") }
        return addresses.map { DatabaseHost(host: name, address: $0, port: host.port) }
    }

    /// The addresses of `host` in the order in which to try them. Blocks.
    private static func lookUp(_ host: String) -> [String] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var addresses: [String] = []
        var next = first
        while let entry = next?.pointee {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let status = getnameinfo(
                entry.ai_addr,
                entry.ai_addrlen,
                &text,
                socklen_t(text.count),
                nil,
                0,
                NI_NUMERICHOST
            )
            let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            if status == 0 { addresses.append(String(decoding: bytes, as: UTF8.self)) }
            next = entry.ai_next
        }
        return addresses
    }
}
