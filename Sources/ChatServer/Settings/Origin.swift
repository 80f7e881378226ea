// Origins as browsers send them (RFC 6454, section 6): the setting's text must equal the header's.

/// The value of the `Origin` header.
enum Origin {
    /// Parses a URL of scheme, host and port, and removes a default port and a trailing slash.
    static func parse(_ text: String) throws(SettingFault) -> String {
        for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
            var rest = text.dropFirst(scheme.count)
            if rest.hasSuffix("/") { rest.removeLast() }
            let standardPort = scheme == "http://" ? ":80" : ":443"
            if rest.hasSuffix(standardPort) { rest.removeLast(standardPort.count) }
            guard !rest.isEmpty, !rest.contains(where: { "/?#@ ".contains($0) }) else { break }
            return scheme + rest.lowercased()
        }
        throw SettingFault("is not a URL of scheme, host and port alone")
    }
}
