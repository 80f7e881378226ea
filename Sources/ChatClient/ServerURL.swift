// Where a server is: the part of a URL that a client of Stoa needs.

/// A server's address, such as `http://127.0.0.1:8080` or `https://chat.example.org`.
public struct ServerURL: Sendable, Hashable, CustomStringConvertible {
    /// Whether to speak TLS.
    public let isSecure: Bool
    /// A name, or an IP address without brackets.
    public let host: String
    /// The TCP port.
    public let port: UInt16

    /// Puts an address together.
    public init(isSecure: Bool = false, host: String, port: UInt16) {
        self.isSecure = isSecure
        self.host = host
        self.port = port
    }

    /// Reads a URL of scheme, host and port; nil for anything else. Without a scheme it is `http`,
    /// without a port the scheme's own.
    public init?(_ text: String) {
        var rest = Substring(text)
        var isSecure = false
        for (prefix, secure) in [("http://", false), ("https://", true)]
        where rest.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
            isSecure = secure
        }
        if rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.contains(where: { "/?#@ ".contains($0) }) else { return nil }

        var port: UInt16 = isSecure ? 443 : 80
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("]") {
            guard let number = UInt16(rest[rest.index(after: colon)...]) else { return nil }
            port = number
            rest = rest[..<colon]
        }
        if rest.hasPrefix("["), rest.hasSuffix("]") {
            rest = rest.dropFirst().dropLast()
        } else if rest.contains(":") {
            return nil
        }
        guard !rest.isEmpty else { return nil }
        self.init(isSecure: isSecure, host: String(rest), port: port)
    }

    /// What a request's `Host` field says.
    public var authority: String {
        let isStandard = port == (isSecure ? 443 : 80)
        let name = host.contains(":") ? "[\(host)]" : host
        return isStandard ? name : "\(name):\(port)"
    }

    /// The URL, without a slash at its end.
    public var description: String { "\(isSecure ? "https" : "http")://\(authority)" }
}
