// How long a body is, RFC 9112 section 6. The one place that reads Content-Length and
// Transfer-Encoding, because two readers that disagree are what request smuggling needs.

/// How the end of a message's body is known.
enum BodyFraming: Equatable {
    /// So many bytes.
    case length(Int)
    /// Chunks until the empty one.
    case chunked
    /// Until the peer stops sending. Only responses.
    case untilEnd

    /// What the fields of a request say.
    static func ofRequest(_ head: HTTPRequestHead) throws(HTTPError) -> BodyFraming {
        // A proxy that knows only HTTP/1.0 passes Transfer-Encoding on without obeying it.
        if head.version == .http10, head.headers.contains(.transferEncoding) {
            throw .ambiguousLength
        }
        return try ofFields(head.headers) ?? .length(0)
    }

    /// What the status and the fields of a response to a request with `method` say.
    static func ofResponse(
        _ head: HTTPResponseHead,
        to method: HTTPMethod
    ) throws(HTTPError) -> BodyFraming {
        if head.status.forbidsBody || method == .head { return .length(0) }
        return try ofFields(head.headers) ?? .untilEnd
    }

    /// What the two fields say; nil where neither is there.
    private static func ofFields(_ headers: HTTPHeaders) throws(HTTPError) -> BodyFraming? {
        let lengths = headers.values(of: .contentLength)
        guard headers.contains(.transferEncoding) else {
            guard let length = lengths.first else { return nil }
            // The same length twice may be accepted (RFC 9112 section 6.3); we don't have to.
            guard lengths.count == 1, let length = decimal(length) else { throw .ambiguousLength }
            return .length(length)
        }
        guard lengths.isEmpty else { throw .ambiguousLength }
        let codings = headers.tokens(of: .transferEncoding)
        guard codings == ["chunked"] else {
            // `chunked` in any other place is a trick, anything else a coding that we don't know.
            let isTrick = codings.isEmpty || codings.dropLast().contains("chunked")
            throw isTrick ? .ambiguousLength : .unsupportedTransferCoding
        }
        return .chunked
    }

    /// The value of digits and nothing else, no sign, no space. At most 18 of them, so that no sum
    /// of lengths overflows.
    private static func decimal(_ text: String) -> Int? {
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy(CharacterClass.isDigit)
        else { return nil }
        return Int(text)
    }
}
