// One request and its response, whose body is read in parts so that it never has to fit into memory.

import HTTPProtocol

/// A response that is being read. `end` returns its connection for reuse or closes it.
final class HubExchange {
    /// The response's status and fields.
    let head: HTTPResponseHead
    /// The URL after all redirects.
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

    /// The body's length in bytes, if the host states it.
    var contentLength: Int? { head.headers[.contentLength].flatMap { Int($0) } }

    /// The next bytes of the body; nil at its end.
    func next() async throws(HubError) -> [UInt8]? {
        let bytes = try await connection.next()
        if bytes == nil { isComplete = true }
        return bytes
    }

    /// The whole body.
    /// - Throws: `badResponse` if it is longer than `limit` bytes.
    func readAll(limit: Int) async throws(HubError) -> [UInt8] {
        var body: [UInt8] = []
        while let bytes = try await next() {
            body += bytes
            guard body.count <= limit else {
                let host = url.origin.host
                throw .badResponse("\(host) responded with more than \(ByteCount(limit))")
            }
        }
        return body
    }

    /// Reads the rest of a small body, so that the connection can be reused.
    func skip() async {
        guard let length = contentLength, length <= 16 << 10 else { return }
        do throws(HubError) { _ = try await readAll(limit: length) } catch {}
    }

    /// Ends the exchange, whether or not the body was read to its end.
    func end() { client.take(back: connection, isComplete: isComplete) }
}
