// URLs of HTTP (RFC 9110, 4.2; RFC 6454).

/// A scheme, a host and a port: one server.
public struct HTTPOrigin: Sendable, Hashable, CustomStringConvertible {
    /// Whether to speak TLS.
    public let isSecure: Bool
    /// A name in lower case, or an IP address without brackets.
    public let host: String
    /// The TCP port.
    public let port: UInt16

    /// Creates an origin.
    public init(isSecure: Bool = false, host: String, port: UInt16) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// Parses a URL of scheme, host and port, such as `https://chat.example.org`, with or without a
    /// trailing slash; nil for anything else. The scheme defaults to `http`, the port to the
    /// scheme's.
    public init?(_ text: String) {
        let isWhole = text.hasPrefix("http://") || text.hasPrefix("https://")
        guard !text.contains(where: { "?#".contains($0) }),
            let url = HTTPURL(isWhole ? text : "http://" + text), url.target == "/"
        else { return nil }
        self = url.origin
    }

    /// Parses the authority of a URL; nil if it has a user or no host.
    init?(isSecure: Bool, authority: Substring) {
        var host = authority
        var port = Self.standardPort(isSecure: isSecure)
        if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
            guard let number = UInt16(host[host.index(after: colon)...]) else { return nil }
            port = number
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.contains(where: { "@ ".contains($0) }) else { return nil }
        self.init(isSecure: isSecure, host: host.lowercased(), port: port)
    }

    /// The value of a request's `Host` field.
    public var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == Self.standardPort(isSecure: isSecure) ? name : "\(name):\(port)"
    }

    /// The URL without a trailing slash.
    public var description: String { "\(isSecure ? "https" : "http")://\(authority)" }

    private static func standardPort(isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }
}

/// An `http` or `https` URL without user and fragment.
public struct HTTPURL: Sendable, Hashable {
    /// The server.
    public let origin: HTTPOrigin
    /// Path and query; begins with a slash.
    public let target: String

    /// Creates a URL.
    public init(_ origin: HTTPOrigin, target: String) {
        self.origin = origin
        self.target = target
    }

    /// Parses an absolute URL; nil for anything else.
    public init?(_ text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst(isSecure ? 8 : 7).prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let origin = HTTPOrigin(isSecure: isSecure, authority: authority) else { return nil }
        let path = rest.dropFirst(authority.count)
        self.init(origin, target: path.hasPrefix("/") ? String(path) : "/\(path)")
    }

    /// Resolves a `Location` field against this URL (RFC 9110, 10.2.2); nil if it is neither
    /// absolute nor starts with a slash.
    public func resolving(_ location: String) -> HTTPURL? {
        guard location.hasPrefix("/") else { return HTTPURL(location) }
        if location.hasPrefix("//") {
            return HTTPURL("\(origin.isSecure ? "https" : "http"):\(location)")
        }
        return HTTPURL(origin, target: location)
    }
}
