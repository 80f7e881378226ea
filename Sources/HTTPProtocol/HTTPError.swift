// Protocol errors of a peer and their status codes. Errors of our own code are preconditions.

/// A message that violates HTTP/1.1 or exceeds a limit. After an error no further message can be
/// read from the connection, since the end of the wrong one is unknown.
public enum HTTPError: Error, Sendable, Hashable {
    /// The first line is not a request line or status line.
    case malformedStartLine
    /// A field line has no colon, a space in or after its name, a control character, a folded
    /// continuation, or does not end in CR LF.
    case malformedHeader
    /// `Host` is missing, repeated, or not a valid host.
    case invalidHost
    /// The body's length is given in two ways, twice, or not as a number (the basis of request
    /// smuggling, RFC 9112 section 6.3).
    case ambiguousLength
    /// The size line or the end of a chunk is malformed.
    case malformedChunk
    /// A transfer coding other than `chunked`.
    case unsupportedTransferCoding
    /// A method that this server does not support: CONNECT.
    case unsupportedMethod
    /// `Expect` has another value than `100-continue`.
    case unsupportedExpectation
    /// A major version other than 1.
    case unsupportedVersion
    /// The first line is longer than `HTTPLimits.startLineBytesMax`.
    case startLineTooLong
    /// The fields have more bytes or lines than `HTTPLimits` allows.
    case headersTooLarge
    /// The body is longer than `HTTPLimits.bodyBytesMax`.
    case bodyTooLarge
    /// The peer stopped sending in the middle of a message.
    case truncated
    /// The peer was too slow. This target has no clock: callers report timeouts with this error.
    case timeout

    /// The status code to respond with.
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
