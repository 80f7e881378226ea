// Origins as browsers name them (RFC 6454, section 6): what a setting says and what a page sends must be
// the same text.

/// What a browser sends as `Origin`.
enum Origin {
    /// Reads a URL of scheme, host and port, and leaves out a standard port and a last slash.
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
