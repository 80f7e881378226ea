// One request and its response, whose body comes in pieces: models do not fit into memory twice.

import HTTPProtocol

/// A response that is being read. `end` gives its connection back or closes it.
final class HubExchange {
    /// The response's status and fields.
    let head: HTTPResponseHead
    /// Where the response came from, after all redirects.
    let url: HTTPURL
    private let connection: HubConnection
    private let client: HubClient
    private var isComplete = false

    init(
        _ head: HTTPResponseHead,
        of url: HTTPURL,
        on connection: HubConnection,
        _ client: HubClient
    ) {
        self.head = head
        self.url = url
        self.connection = connection
        self.client = client
    }

    /// The body's length, where the host says it.
    var contentLength: Int? { head.headers[.contentLength].flatMap { Int($0) } }

    /// The next bytes of the body; nil at its end.
    func next() async throws(HubError) -> [UInt8]? {
        let bytes = try await connection.next()
        if bytes == nil { isComplete = true }
        return bytes
    }

    /// The whole body.
    /// - Throws: `badResponse` where it is longer than `limit`.
    func readAll(limit: Int) async throws(HubError) -> [UInt8] {
        var body: [UInt8] = []
        while let bytes = try await next() {
            body += bytes
            guard body.count <= limit else {
                throw .badResponse("\(url.origin.host) answers with more than \(ByteCount(limit))")
            }
        }
        return body
    }

    /// Reads what is left of a small body, so that the connection can be used again.
    func skip() async {
        guard let length = contentLength, length <= 16 << 10 else { return }
        do throws(HubError) { _ = try await readAll(limit: length) } catch {}
    }

    /// Ends the exchange, read to its end or not.
    func end() { client.take(back: connection, isComplete: isComplete) }
}
