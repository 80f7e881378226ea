// Encodes a response's head and decides how its body is framed.

/// The properties of a request that determine the encoding of its response.
struct ResponseContext {
    /// Whether the request was HEAD.
    var isToHead: Bool
    /// The client's version.
    var version: HTTPVersion
    /// Whether the connection may stay open. The response may also close it.
    var keepsAlive: Bool
}

/// An encoded head and the writer for its body.
struct EncodedResponse {
    /// Room for most heads, so that the bytes are moved rarely.
    private static let usualByteCount = 512

    var bytes: [UInt8]
    var body: BodyWriter
    var keepsAlive: Bool

    /// Encodes `response`; its framing fields are replaced by those for `length`.
    init(_ response: HTTPResponseHead, length: HTTPBodyLength, in context: ResponseContext) {
        var headers = response.headers
        headers.remove(.contentLength)
        headers.remove(.transferEncoding)
        keepsAlive =
            context.keepsAlive && !headers.hasToken("close", in: .connection)
        body = .none
        if !response.status.forbidsBody {
            let framing: BodyFraming
            switch length {
            case .exactly(let count):
                framing = .length(count)
                headers[.contentLength] = "\(count)"
            case .unknown where context.version == .http11:
                framing = .chunked
                headers[.transferEncoding] = "chunked"
            case .unknown:
                framing = .untilEnd
                keepsAlive = false
            }
            body = context.isToHead ? .none : BodyWriter(framing)
        }
        if response.status != .switchingProtocols {
            if !keepsAlive {
                headers.endConnectionOptions(with: "close")
            } else if context.version == .http10 {
                headers.endConnectionOptions(with: "keep-alive")
            }
        }
        bytes = []
        bytes.reserveCapacity(Self.usualByteCount)
        bytes.append(
            contentsOf: "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n".utf8
        )
        headers.encode(into: &bytes)
        bytes.append(contentsOf: "\r\n".utf8)
    }
}

extension HTTPHeaders {
    /// Adds `last` to the options in `Connection` and keeps the others: `Upgrade` must be listed
    /// there even if the connection closes (RFC 9110 section 7.8).
    fileprivate mutating func endConnectionOptions(with last: String) {
        let others = listElements(of: .connection).filter {
            !["close", "keep-alive"].contains($0.lowercased())
        }
        self[.connection] = (others + [last]).joined(separator: ", ")
    }
}
