// One request and its response on an open stream.

import HTTPProtocol
import Networking

/// An exchange; after an upgrade, the stream continues after the bytes in `remaining`.
struct HTTPExchange: ~Copyable {
    private let stream: AsyncByteStream
    var connection: HTTPClientConnection
    /// The first bytes of the protocol that the server switched to.
    private(set) var remaining: [UInt8] = []

    init(stream: AsyncByteStream, bodyBytesMax: Int) {
        self.stream = stream
        var limits = HTTPLimits()
        limits.bodyBytesMax = bodyBytesMax
        connection = HTTPClientConnection(limits: limits)
    }

    /// Sends the request, and reads up to the end of the response or up to the upgrade.
    mutating func perform(
        _ request: HTTPRequestHead,
        body: [UInt8] = []
    ) async throws(ChatClientError) -> HTTPReply {
        try await write(connection.send(request, body: body))
        var head: HTTPResponseHead?
        var reply: [UInt8] = []
        while true {
            switch try await nextEvent() {
            case .informational: break
            case .response(let response): head = response
            case .body(let bytes): reply += bytes
            case .upgrade(let remaining):
                self.remaining = remaining
                return HTTPReply(head: head ?? HTTPResponseHead(.switchingProtocols), body: [])
            case .end:
                return HTTPReply(head: head ?? HTTPResponseHead(.badGateway), body: reply)
            }
        }
    }

    mutating func nextEvent() async throws(ChatClientError) -> HTTPClientEvent {
        while true {
            do throws(HTTPError) {
                if let event = try connection.nextEvent() { return event }
            } catch {
                throw .http(error)
            }
            if let bytes = try await read() {
                bytes.withUnsafeBytes { connection.receive($0) }
            } else {
                connection.receiveEnd()
            }
        }
    }

    func write(_ bytes: [UInt8]) async throws(ChatClientError) {
        do throws(NetworkError) { try await stream.write(bytes) } catch { throw .network(error) }
    }

    private func read() async throws(ChatClientError) -> [UInt8]? {
        do throws(NetworkError) { return try await stream.read() } catch { throw .network(error) }
    }
}
