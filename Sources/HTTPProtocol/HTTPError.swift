// What a peer can do wrong, and the status that it is told. Misuse by our own code is not here: that
// is a precondition.

/// A message that breaks HTTP/1.1 or goes over a limit. No further message can be read from a
/// connection that threw one: where the wrong message ends is not known.
public enum HTTPError: Error, Sendable, Hashable {
    /// The first line is no request line, or no status line.
    case malformedStartLine
    /// A field line has no colon, a space in or after its name, a control character, a folded
    /// continuation, or does not end in CR LF.
    case malformedHeader
    /// `Host` is missing, doubled, or holds what no host name can.
    case invalidHost
    /// The body's length is said in two ways, twice, or not as a number (the root of request
    /// smuggling, RFC 9112 section 6.3).
    case ambiguousLength
    /// A chunk's size line or its end is wrong.
    case malformedChunk
    /// A transfer coding other than `chunked`.
    case unsupportedTransferCoding
    /// A method that this server will never know: CONNECT.
    case unsupportedMethod
    /// `Expect` asks for something else than `100-continue`.
    case unsupportedExpectation
    /// A major version other than 1.
    case unsupportedVersion
    /// The first line is longer than `HTTPLimits.startLineBytesMax`.
    case startLineTooLong
    /// The fields are longer or more than `HTTPLimits` allows.
    case headersTooLarge
    /// The body is longer than `HTTPLimits.bodyBytesMax`.
    case bodyTooLarge
    /// The peer stopped sending in the middle of a message.
    case truncated
    /// The peer took too long. Cores have no clock: the shell that has one reports it with this.
    case timeout

    /// The status of the response that tells the client.
    public var status: HTTPStatus {
        switch self {
        case .malformedStartLine, .malformedHeader, .invalidHost, .ambiguousLength,
            .malformedChunk, .truncated:
            .badRequest
        case .timeout: .requestTimeout
        case .bodyTooLarge: .contentTooLarge
        case .startLineTooLong: .uriTooLong
        case .headersTooLarge: .requestHeaderFieldsTooLarge
        case .unsupportedExpectation: .expectationFailed
        case .unsupportedTransferCoding, .unsupportedMethod: .notImplemented
        case .unsupportedVersion: .httpVersionNotSupported
        }
    }
}
