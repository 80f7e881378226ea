/// The header in which trusted proxies write the client's address. Only one is read: a proxy may
/// pass on headers from clients that it does not set itself.
public enum ForwardedHeader: String, CaseIterable, Sendable {
    /// X-Forwarded-For.
    case xForwardedFor = "x-forwarded-for"
    /// Forwarded (RFC 7239).
    case forwarded
}
