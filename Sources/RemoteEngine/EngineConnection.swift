// One connection to a remote engine, kept open between requests. Each wait has a deadline; at it, the
// connection is closed.

import EngineProtocol
import EventLoop
import HTTPProtocol
import Networking

/// An open connection. Lives on its loop.
final class EngineConnection {
    /// Limits of a reply. Its text is bounded by the answer's length, the rest by this.
    private static let limits = HTTPLimits(bodyBytesMax: 64 << 20)

    /// Whether a byte of the current reply has arrived. If not, an engine may have closed an idle
    /// connection, and the request can be sent again.
    private(set) var hasReceived = false
    /// The limit at which it was closed. Bytes that arrive in the same turn are still read, and the next
    /// wait fails.
    private var expired: WaitLimit?
    private let loop: EventLoop
    private let stream: AsyncByteStream
    private var http = HTTPClientConnection(limits: limits)

    init(_ loop: EventLoop, _ stream: ByteStream) {
        self.loop = loop
        self.stream = AsyncByteStream(stream, byteLimit: 64 << 10)
    }

    /// Whether another request can be sent.
    var isReusable: Bool { stream.stream.isOpen && http.isReadyForRequest }

    /// Closes at once: the engine notices, and ends the answer.
    func close() { stream.close() }

    /// Sends a request.
    func send(
        _ head: HTTPRequestHead,
        body: [UInt8],
        within limit: WaitLimit
    ) async throws(EngineFault) {
        hasReceived = false
        let bytes = http.send(head, body: body)
        try await waiting(limit) { () throws(NetworkError) in
            try await self.stream.write(bytes)
        }
    }

    /// The next event of the reply. At the limit the connection is closed.
    func nextEvent(within limit: WaitLimit) async throws(EngineFault) -> HTTPClientEvent {
        while true {
            do throws(HTTPError) {
                if let event = try http.nextEvent() { return event }
            } catch {
                throw error == .truncated ? .cut : .malformed("its HTTP is not: \(error)")
            }
            var bytes: [UInt8]?
            try await waiting(limit) { () throws(NetworkError) in
                bytes = try await self.stream.read()
            }
            if let bytes {
                hasReceived = true
                bytes.withUnsafeBytes { http.receive($0) }
            } else {
                guard hasReceived else { throw .unreachable("the connection was closed") }
                http.receiveEnd()
            }
        }
    }

    private func waiting(
        _ limit: WaitLimit,
        _ body: () async throws(NetworkError) -> Void
    ) async throws(EngineFault) {
        let timer = loop.schedule(after: limit.end - loop.now) { [self] in
            expired = limit
            stream.close()
        }
        defer { timer.cancel() }
        do throws(NetworkError) { try await body() } catch {
            throw expired?.fault ?? .unreachable("\(error)")
        }
    }
}
