// The versions of HTTP that these cores speak.

/// The versions that there are on the wire. Later minor versions are read as 1.1.
public enum HTTPVersion: String, Sendable, Hashable {
    /// HTTP/1.0: closes after each response unless asked not to, knows no chunks.
    case http10 = "HTTP/1.0"
    /// HTTP/1.1.
    case http11 = "HTTP/1.1"
}
