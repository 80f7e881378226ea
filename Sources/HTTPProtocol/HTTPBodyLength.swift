// What a sender says about its body before it sends it.

/// How long a body that we send will be, as far as its sender knows.
public enum HTTPBodyLength: Sendable, Hashable {
    /// So many bytes: `Content-Length`.
    case exactly(Int)
    /// Not known yet: chunks, or for a client of HTTP/1.0 until the connection closes.
    case unknown
}
