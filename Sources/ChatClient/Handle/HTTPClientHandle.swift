// An `HTTPClient` for callers on Swift's executors.

public import HTTPProtocol

/// HTTP requests to one server. Sendable; calls may come from any task.
public struct HTTPClientHandle: Sendable {
    private let thread: ClientThread
    private let server: HTTPOrigin

    /// A client whose connections run on `thread`.
    public init(server: HTTPOrigin, on thread: ClientThread) {
        self.server = server
        self.thread = thread
    }

    /// Sends a request and reads its response; see `HTTPClient.send`.
    /// - Throws: `ChatClientError` if there is no complete response.
    public func send(
        _ method: HTTPMethod,
        _ target: String,
        headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8] = []
    ) async throws -> HTTPReply {
        let server = server
        return try await thread.run { loop in
            let client = HTTPClient(loop: loop, server: server)
            return try await client.send(method, target, headers: headers, body: body)
        }
    }

    /// Sends a GET.
    /// - Throws: `ChatClientError` if there is no complete response.
    public func get(
        _ target: String,
        headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> HTTPReply {
        try await send(.get, target, headers: headers)
    }

    /// Sends a POST with a JSON body.
    /// - Throws: `ChatClientError` if there is no complete response.
    public func post(
        _ target: String,
        json body: [UInt8],
        headers: HTTPHeaders = HTTPHeaders()
    ) async throws -> HTTPReply {
        var headers = headers
        headers[.contentType] = "application/json"
        return try await send(.post, target, headers: headers, body: body)
    }
}
