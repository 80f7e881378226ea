// The length of a body to send.

/// The length of a body to send, as far as it is known in advance.
public enum HTTPBodyLength: Sendable, Hashable {
    /// A known length: sent with `Content-Length`.
    case exactly(Int)
    /// Unknown: sent in chunks, or to an HTTP/1.0 client until the connection closes.
    case unknown
}
