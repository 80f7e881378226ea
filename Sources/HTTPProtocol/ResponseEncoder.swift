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

    /// Encodes `response` and the fields `added` to it; its framing fields are replaced by those for
    /// `length`.
    init(
        _ response: HTTPResponseHead,
        adding added: EncodedFields = .none,
        length: HTTPBodyLength,
        in context: ResponseContext,
        bodyByteCount: Int = 0
    ) {
        keepsAlive =
            context.keepsAlive && !response.headers.hasToken("close", in: .connection)
        body = .none
        var framingField: (name: HTTPHeaderName, value: String)?
        if !response.status.forbidsBody {
            let framing: BodyFraming
            switch length {
            case .exactly(let count):
                framing = .length(count)
                framingField = (.contentLength, "\(count)")
            case .unknown where context.version == .http11:
                framing = .chunked
                framingField = (.transferEncoding, "chunked")
            case .unknown:
                framing = .untilEnd
                keepsAlive = false
            }
            body = context.isToHead ? .none : BodyWriter(framing)
        }
        let connection: String? =
            if response.status == .switchingProtocols {
                nil
            } else if !keepsAlive {
                response.headers.connectionOptions(endingWith: "close")
            } else if context.version == .http10 {
                response.headers.connectionOptions(endingWith: "keep-alive")
            } else {
                nil
            }
        bytes = []
        let encoded = response.encodedHeaders?.bytes
        bytes.reserveCapacity(Self.usualByteCount + (encoded?.count ?? 0) + bodyByteCount)
        response.status.encodeLine(into: &bytes)
        if let encoded {
            bytes.append(contentsOf: encoded)
        } else {
            for field in response.headers.fields
            where field.name != .contentLength && field.name != .transferEncoding
                && (connection == nil || field.name != .connection)
            {
                HTTPHeaders.encode(field.name, field.value, into: &bytes)
            }
        }
        bytes.append(contentsOf: added.bytes)
        if let (name, value) = framingField { HTTPHeaders.encode(name, value, into: &bytes) }
        if let connection { HTTPHeaders.encode(.connection, connection, into: &bytes) }
        bytes.appendLineEnd()
    }
}

extension HTTPStatus {
    /// Appends the status line.
    fileprivate func encodeLine(into bytes: inout [UInt8]) {
        bytes.append(text: "HTTP/1.1 ")
        bytes.append(UInt8(ascii: "0") + UInt8(code / 100))
        bytes.append(UInt8(ascii: "0") + UInt8(code / 10 % 10))
        bytes.append(UInt8(ascii: "0") + UInt8(code % 10))
        bytes.append(UInt8(ascii: " "))
        bytes.append(text: reasonPhrase)
        bytes.appendLineEnd()
    }
}

extension HTTPHeaders {
    /// The options in `Connection` with `last` added: `Upgrade` must be listed there even if the
    /// connection closes (RFC 9110 section 7.8).
    fileprivate func connectionOptions(endingWith last: String) -> String {
        let others = listElements(of: .connection).filter {
            !["close", "keep-alive"].contains($0.lowercased())
        }
        return (others + [last]).joined(separator: ", ")
    }
}
