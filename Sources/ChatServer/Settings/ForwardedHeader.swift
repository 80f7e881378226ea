/// The header in which trusted proxies say where a request comes from. Only one is read: what a proxy does not
/// write itself, it may pass on from anybody.
public enum ForwardedHeader: String, CaseIterable, Sendable {
    /// X-Forwarded-For.
    case xForwardedFor = "x-forwarded-for"
    /// Forwarded (RFC 7239).
    case forwarded
}
