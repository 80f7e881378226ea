// Supported versions of HTTP.

/// A version of HTTP. Later minor versions are read as 1.1.
public enum HTTPVersion: String, Sendable, Hashable {
    /// HTTP/1.0: closes after each response by default, has no chunks.
    case http10 = "HTTP/1.0"
    /// HTTP/1.1.
    case http11 = "HTTP/1.1"
}
