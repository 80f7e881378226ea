// One request over a connection of its own: for signing in, and for tests. Bodies are held whole, so
// they are bounded; streams of any length are not its business.

public import EventLoop
public import HTTPProtocol
import Networking

/// A client of one server's HTTP routes. Lives on its loop.
public struct HTTPClient {
    /// The loop that its connections live on.
    public let loop: EventLoop
    /// The server.
    public let server: HTTPOrigin
    /// How long a request may take, from the connection to the end of its response.
    public var timeout: Duration = .seconds(30)
    /// The largest response body.
    public var bodyBytesMax = 64 << 20

    /// A client of `server`.
    public init(loop: EventLoop, server: HTTPOrigin) {
        self.loop = loop
        self.server = server
    }

    /// Sends a GET.
    /// - Throws: where there is no whole response; an error status is a response.
    public func get(
        _ target: String,
        headers: HTTPHeaders = HTTPHeaders()
    ) async throws(ChatClientError) -> HTTPReply {
        try await send(.get, target, headers: headers, body: [])
    }

    /// Sends a POST with a JSON body.
    /// - Throws: where there is no whole response; an error status is a response.
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
    /// - Throws: where there is no whole response; an error status is a response.
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
