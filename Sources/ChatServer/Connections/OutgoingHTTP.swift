// Requests to other servers: few, each over a connection of its own, and within ten seconds.

import EventLoop
import HTTPProtocol
import Networking
import TLSEngine

/// Sends requests to an OpenID provider, or a collector of traces. Lives on its loop.
struct OutgoingHTTP {
    private static let bodyBytesMax = 1 << 20

    let loop: EventLoop
    let workers: WorkerPool
    /// How long a request may take, from connecting to the end of its response.
    var timeout = Duration.seconds(10)

    /// Sends a request over a new connection; redirects are not followed.
    /// - Returns: the status and the body.
    /// - Throws: `NetworkError`, `HTTPError` or `TLSError`.
    func send(
        _ method: HTTPMethod,
        _ url: HTTPURL,
        headers: HTTPHeaders,
        body: [UInt8] = []
    ) async throws -> (status: Int, body: [UInt8]) {
        let stream = AsyncByteStream(try await connect(url.origin))
        let timer = loop.schedule(after: timeout) { stream.close() }
        defer {
            timer.cancel()
            stream.close()
        }
        var headers = headers
        headers[.connection] = "close"
        var http = HTTPClientConnection(limits: HTTPLimits(bodyBytesMax: Self.bodyBytesMax))
        let head = HTTPRequestHead(method, url.target, host: url.origin.authority, headers: headers)
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

    private func connect(_ origin: HTTPOrigin) async throws -> ByteStream {
        try await StreamConnector.connect(
            loop: loop,
            toFirstOf: HostResolver(pool: workers).resolve(origin.host, port: origin.port),
            deadline: timeout,
            tls: origin.isSecure ? TLSClientConfiguration(serverName: origin.host) : nil
        )
    }
}
