// Streams bodies of any length. Timeouts apply to the wait for the next bytes, not to the whole transfer.

import EventLoop
public import HTTPProtocol
import Networking

extension HTTPClient {
    /// Sends a GET and passes on the body as it arrives.
    /// - Parameters:
    ///   - target: path and query.
    ///   - headers: fields of the request.
    ///   - take: called with each part of a successful response's body.
    /// - Returns: the response; its body is empty, or the error's if the status is an error.
    /// - Throws: `ChatClientError` if the response is incomplete, and what `take` throws.
    public func download(
        _ target: String,
        headers: HTTPHeaders = HTTPHeaders(),
        _ take: @escaping ([UInt8]) async throws -> Void
    ) async throws -> HTTPReply {
        let stream = try await Dialer(loop: loop, server: server).dial(within: timeout)
        let watch = StallWatch(loop, after: timeout, stream)
        defer { watch.end() }
        var headers = headers
        headers[.connection] = "close"
        let request = HTTPRequestHead(.get, target, host: server.authority, headers: headers)
        var exchange = HTTPExchange(stream: stream, bodyBytesMax: .max / 2)
        do {
            try await exchange.begin(request, length: .exactly(0))
            return try await exchange.response { bytes in
                watch.progress()
                try await take(bytes)
                watch.progress()
            }
        } catch let error as ChatClientError {
            throw watch.hasStalled ? ChatClientError.timedOut : error
        }
    }

    /// Sends a POST with a streamed body.
    /// - Parameters:
    ///   - target: path and query.
    ///   - headers: fields of the request.
    ///   - next: returns the next part of the body; nil at its end.
    /// - Returns: the response. It may arrive before the body's end, if the server refuses the
    ///   rest.
    /// - Throws: `ChatClientError` if there is no complete response, and what `next` throws.
    public func upload(
        _ target: String,
        headers: HTTPHeaders = HTTPHeaders(),
        _ next: () async throws -> [UInt8]?
    ) async throws -> HTTPReply {
        let stream = try await Dialer(loop: loop, server: server).dial(within: timeout)
        let watch = StallWatch(loop, after: timeout, stream)
        defer { watch.end() }
        var headers = headers
        headers[.connection] = "close"
        let request = HTTPRequestHead(.post, target, host: server.authority, headers: headers)
        var exchange = HTTPExchange(stream: stream, bodyBytesMax: bodyBytesMax)
        do {
            try await exchange.begin(request, length: .unknown)
            while let bytes = try await next() {
                watch.progress()
                // A server that refuses closes the connection; its response may have arrived
                // before.
                guard try await exchange.sendPiece(bytes) else { break }
            }
            try await exchange.endBody()
            watch.progress()
            return try await exchange.response(nil)
        } catch let error as ChatClientError {
            throw watch.hasStalled ? ChatClientError.timedOut : error
        }
    }
}

extension HTTPExchange {
    /// Sends a request's head.
    mutating func begin(
        _ request: HTTPRequestHead,
        length: HTTPBodyLength
    ) async throws(ChatClientError) {
        try await write(connection.send(request, length: length))
        if case .exactly = length { try await write(connection.sendEnd()) }
    }

    /// Sends a part of the body.
    /// - Returns: false if the server no longer reads.
    mutating func sendPiece(_ bytes: [UInt8]) async throws(ChatClientError) -> Bool {
        do {
            try await write(connection.sendBody(bytes))
            return true
        } catch .network(.cancelled) {
            throw .network(.cancelled)
        } catch {
            return false
        }
    }

    /// Sends the end of the body, if the server still reads.
    mutating func endBody() async throws(ChatClientError) {
        let end = connection.sendEnd()
        do { try await write(end) } catch .network(.cancelled) { throw .network(.cancelled) } catch
        {}
    }

    /// Reads the response. The body of a successful one goes to `take`, if given.
    mutating func response(
        _ take: (([UInt8]) async throws -> Void)?
    ) async throws -> HTTPReply {
        var head = HTTPResponseHead(.badGateway)
        var body: [UInt8] = []
        while true {
            switch try await nextEvent() {
            case .informational, .upgrade: break
            case .response(let response): head = response
            case .body(let bytes):
                if head.status.isSuccess, let take {
                    try await take(bytes)
                } else {
                    body += bytes
                    guard body.count <= 16 << 20 else { throw ChatClientError.http(.bodyTooLarge) }
                }
            case .end: return HTTPReply(head: head, body: body)
            }
        }
    }
}

/// Closes a stream without progress.
private final class StallWatch {
    private let loop: EventLoop
    private let limit: Duration
    private let stream: AsyncByteStream
    private var deadline: Deadline

    init(_ loop: EventLoop, after limit: Duration, _ stream: AsyncByteStream) {
        self.loop = loop
        self.limit = limit
        self.stream = stream
        deadline = Deadline(loop, after: limit) { stream.close() }
    }

    var hasStalled: Bool { deadline.hasPassed }

    /// Restarts the timeout.
    func progress() {
        guard !hasStalled else { return }
        deadline.cancel()
        deadline = Deadline(loop, after: limit) { [stream] in stream.close() }
    }

    func end() {
        deadline.cancel()
        stream.close()
    }
}
