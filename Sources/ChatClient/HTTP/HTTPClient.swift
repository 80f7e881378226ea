// One request over its own connection: for signing in, and for tests. Bodies are held in memory and
// bounded; see `HTTPClient+Streams.swift` for others.

public import EventLoop
public import HTTPProtocol
import Networking

/// A client of one server's HTTP routes. Used on its event loop.
public struct HTTPClient {
    /// The event loop that its connections use.
    public let loop: EventLoop
    /// The server.
    public let server: HTTPOrigin
    /// Timeout of a request, from connecting to the end of its response.
    public var timeout: Duration = .seconds(30)
    /// Maximum response body in bytes.
    public var bodyBytesMax = 64 << 20

    /// A client of `server`.
    public init(loop: EventLoop, server: HTTPOrigin) {
        self.loop = loop
        self.server = server
    }

    /// Sends a GET.
    /// - Throws: if there is no complete response; an error status is a response.
    public func get(
        _ target: String,
        headers: HTTPHeaders = HTTPHeaders()
    ) async throws(ChatClientError) -> HTTPReply {
        try await send(.get, target, headers: headers, body: [])
    }

    /// Sends a POST with a JSON body.
    /// - Throws: if there is no complete response; an error status is a response.
    public func post(
        _ target: String,
        json body: [UInt8],
        headers: HTTPHeaders = HTTPHeaders()
    ) async throws(ChatClientError) -> HTTPReply {
        var headers = headers
        headers[.contentType] = "application/json"
        return try await send(.post, target, headers: headers, body: body)
    }

    /// Sends a request and reads its response.
    /// - Throws: if there is no complete response; an error status is a response.
    public func send(
        _ method: HTTPMethod,
        _ target: String,
        headers: HTTPHeaders,
        body: [UInt8]
    ) async throws(ChatClientError) -> HTTPReply {
        let start = loop.now
        let stream = try await Dialer(loop: loop, server: server).dial(within: timeout)
        let deadline = Deadline(loop, after: timeout - (loop.now - start)) { stream.close() }
        defer {
            deadline.cancel()
            stream.close()
        }
        var headers = headers
        headers[.connection] = "close"
        let request = HTTPRequestHead(method, target, host: server.authority, headers: headers)
        var exchange = HTTPExchange(stream: stream, bodyBytesMax: bodyBytesMax)
        do {
            return try await exchange.perform(request, body: body)
        } catch {
            throw deadline.hasPassed ? .timedOut : error
        }
    }
}
