// Resolves host names on a thread: libpq would resolve them on the loop and block it.

import EventLoop
import Glibc

/// Resolves the host of a connection before libpq uses it.
package enum HostResolver {
    /// A lookup cannot be interrupted; hanging ones must not occupy more threads.
    private static let pool = try? WorkerPool(name: "pg-names", threads: 2, queueLimit: 64)

    /// `parameters` with the addresses of the host as `hostaddr`. Unix sockets, addresses and lists
    /// of hosts are left unchanged.
    /// - Throws: `connectionLost` if the name is unknown, `cancelled` for a cancelled task.
    package static func resolve(
        _ parameters: [String: String]
    ) async throws(PostgresError) -> [String: String] {
        guard let host = parameters["host"], parameters["hostaddr"] == nil, !host.isEmpty,
            !host.hasPrefix("/"), !host.hasPrefix("@"), !host.contains(",")
        else { return parameters }
        let addresses: [String]
        do {
            addresses = try await pool?.run { lookUp(host) } ?? []
        } catch is CancellationError {
            throw .cancelled
        } catch {
            throw .connectionLost("looking up \(host): \(error)")
        }
        guard !addresses.isEmpty else { throw .connectionLost("no address of \(host) is known") }
        var result = parameters
        result["hostaddr"] = addresses.joined(separator: ",")
        // libpq requires a name for each address; it checks certificates against it.
        result["host"] = addresses.map { _ in host }.joined(separator: ",")
        return result
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
