// The few requests that the server sends to its OpenID provider: small, bounded, within ten seconds.

import EventLoop
import HTTPProtocol
import Networking
import TLSEngine

/// Where a provider's document is: an https URL, or http on this machine.
struct ProviderURL: Sendable, Hashable {
    let isSecure: Bool
    let host: String
    let port: UInt16
    /// Path and query.
    let target: String

    /// Reads an absolute URL; nil for anything else, and for what would cross a network in the open.
    init?(_ text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst(isSecure ? 8 : 7).prefix { $0 != "#" }
        var authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest.dropFirst(authority.count)
        var port: UInt16 = isSecure ? 443 : 80
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            guard let number = UInt16(authority[authority.index(after: colon)...]) else {
                return nil
            }
            port = number
            authority = authority[..<colon]
        }
        if authority.hasPrefix("["), authority.hasSuffix("]") {
            authority = authority.dropFirst().dropLast()
        }
        guard !authority.isEmpty, !authority.contains(where: { "@ ".contains($0) }),
            isSecure || ["localhost", "127.0.0.1", "::1"].contains(String(authority))
        else { return nil }
        self.isSecure = isSecure
        host = authority.lowercased()
        self.port = port
        target = path.hasPrefix("/") ? String(path) : "/\(path)"
    }

    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}

/// Asks a provider. Lives on its loop.
struct OutgoingHTTP {
    private static let timeout: Duration = .seconds(10)
    private static let bodyBytesMax = 1 << 20

    let loop: EventLoop
    let workers: WorkerPool

    /// Sends one request over a connection of its own; redirects are not followed.
    /// - Returns: the status and the body.
    /// - Throws: `NetworkError`, `HTTPError` or `TLSError`.
    func send(
        _ method: HTTPMethod,
        _ url: ProviderURL,
        headers: HTTPHeaders,
        body: [UInt8] = []
    ) async throws -> (status: Int, body: [UInt8]) {
        let stream = AsyncByteStream(try await connect(url))
        let timer = loop.schedule(after: Self.timeout) { stream.close() }
        defer {
            timer.cancel()
            stream.close()
        }
        var headers = headers
        headers[.connection] = "close"
        var http = HTTPClientConnection(limits: HTTPLimits(bodyBytesMax: Self.bodyBytesMax))
        let head = HTTPRequestHead(method, url.target, host: url.authority, headers: headers)
        try await stream.write(http.send(head, body: body))
        var status = 0
        var received: [UInt8] = []
        while true {
            while let event = try http.nextEvent() {
                switch event {
                case .informational: break
                case .response(let head): status = head.status.code
                case .body(let bytes): received += bytes
                case .end, .upgrade: return (status, received)
                }
            }
            if let bytes = try await stream.read() {
                bytes.withUnsafeBytes { http.receive($0) }
            } else {
                http.receiveEnd()
            }
        }
    }

    private func connect(_ url: ProviderURL) async throws -> ByteStream {
        let tls = url.isSecure ? try TLSClientConfiguration(serverName: url.host) : nil
        let addresses = try await HostResolver(pool: workers).resolve(url.host, port: url.port)
        var failure: (any Error)?
        for address in addresses {
            do {
                return try await StreamConnector.connect(
                    loop: loop,
                    to: address,
                    deadline: Self.timeout,
                    tls: tls
                )
            } catch {
                failure = error
            }
        }
        throw failure ?? NetworkError.unknownHost(url.host)
    }
}
