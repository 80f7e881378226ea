// The length of a message body, RFC 9112 section 6. Only this file reads Content-Length and
// Transfer-Encoding, because request smuggling needs two readers that disagree.

/// How a message's body ends.
enum BodyFraming: Equatable {
    /// After this many bytes.
    case length(Int)
    /// With the chunk of length zero.
    case chunked
    /// When the peer closes its side. Only in responses.
    case untilEnd

    /// The framing of a request's body.
    static func ofRequest(_ head: HTTPRequestHead) throws(HTTPError) -> BodyFraming {
        // A proxy for HTTP/1.0 forwards Transfer-Encoding without decoding it.
        if head.version == .http10, head.headers.contains(.transferEncoding) {
            throw .ambiguousLength
        }
        return try ofFields(head.headers) ?? .length(0)
    }

    /// The framing of the body of a response to a request with `method`.
    static func ofResponse(
        _ head: HTTPResponseHead,
        to method: HTTPMethod
    ) throws(HTTPError) -> BodyFraming {
        if head.status.forbidsBody || method == .head { return .length(0) }
        return try ofFields(head.headers) ?? .untilEnd
    }

    /// The framing from the two fields; nil if both are missing.
    private static func ofFields(_ headers: HTTPHeaders) throws(HTTPError) -> BodyFraming? {
        let lengths = headers.values(of: .contentLength)
        guard headers.contains(.transferEncoding) else {
            guard let length = lengths.first else { return nil }
            // RFC 9112 section 6.3 allows two equal lengths; we refuse them.
            guard lengths.count == 1, let length = decimal(length) else { throw .ambiguousLength }
            return .length(length)
        }
        guard lengths.isEmpty else { throw .ambiguousLength }
        let codings = headers.tokens(of: .transferEncoding)
        guard codings == ["chunked"] else {
            // `chunked` anywhere but last is a smuggling attempt; any other coding is unsupported.
            let isAmbiguous = codings.isEmpty || codings.dropLast().contains("chunked")
            throw isAmbiguous ? .ambiguousLength : .unsupportedTransferCoding
        }
        return .chunked
    }

    /// The value of at most 18 digits, without sign or space, so that no sum of lengths overflows.
    private static func decimal(_ text: String) -> Int? {
        guard (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy(CharacterClass.isDigit)
        else { return nil }
        return Int(text)
    }
}
