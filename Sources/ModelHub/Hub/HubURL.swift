// The part of URLs that fetching needs: where to connect, and what to ask for.

/// An `http` or `https` URL without user and fragment.
struct HubURL: Sendable, Hashable {
    var isSecure: Bool
    var host: String
    var port: UInt16
    /// Path and query; begins with a slash.
    var target: String

    /// Reads an absolute URL; nil for anything else.
    init?(_ text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst(isSecure ? 8 : 7).prefix { $0 != "#" }
        var authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest.dropFirst(authority.count)
        var port: UInt16 = isSecure ? 443 : 80
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            guard let number = UInt16(authority[authority.index(after: colon)...]) else {
                return nil
            }
            port = number
            authority = authority[..<colon]
        }
        if authority.hasPrefix("["), authority.hasSuffix("]") {
            authority = authority.dropFirst().dropLast()
        }
        guard !authority.isEmpty, !authority.contains(where: { "@ ".contains($0) }) else {
            return nil
        }
        self.isSecure = isSecure
        host = authority.lowercased()
        self.port = port
        target = path.hasPrefix("/") ? String(path) : "/\(path)"
    }

    /// What a `Location` field names, seen from this URL.
    func resolving(_ location: String) -> HubURL? {
        guard location.hasPrefix("/") else { return HubURL(location) }
        if location.hasPrefix("//") {
            return HubURL("\(isSecure ? "https" : "http"):\(location)")
        }
        return with(target: location)
    }

    /// The same host, asked for something else.
    func with(target: String) -> HubURL {
        var url = self
        url.target = target
        return url
    }

    /// Whether both are one server: the only one that may see a token.
    func hasSameOrigin(as other: HubURL) -> Bool {
        with(target: "/") == other.with(target: "/")
    }

    /// What a request's `Host` field says.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}
