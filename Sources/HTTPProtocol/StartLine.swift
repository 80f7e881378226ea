// Request lines and status lines: RFC 9112 sections 3 and 4.

/// A parsed request line.
struct RequestLine {
    var method: HTTPMethod
    var target: String
    var version: HTTPVersion
    /// The host of a target in absolute form; it overrides the field (RFC 9112 section 3.2.2).
    var authority: String?

    /// Parses `line`. It must have exactly two spaces, since readers split other lines differently.
    init(_ line: [UInt8]) throws(HTTPError) {
        let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3,
            let method = HTTPMethod(String(decoding: parts[0], as: UTF8.self)),
            !parts[1].isEmpty, parts[1].allSatisfy(CharacterClass.isTarget)
        else { throw .malformedStartLine }
        self.method = method
        self.version = try Self.version(parts[2])
        guard method.name != "CONNECT" else { throw .unsupportedMethod }

        let target = String(decoding: parts[1], as: UTF8.self)
        if target.hasPrefix("/") || (target == "*" && method == .options) {
            self.target = target
        } else {
            (self.authority, self.target) = try Self.splitAbsolute(target)
        }
    }

    /// The host, and the path with query, of "http://host/path?query".
    private static func splitAbsolute(
        _ target: String
    ) throws(HTTPError) -> (authority: String, target: String) {
        let lowercased = target.prefix(8).lowercased()
        guard let scheme = ["http://", "https://"].first(where: lowercased.hasPrefix) else {
            throw .malformedStartLine
        }
        let rest = target.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard HostSyntax.namesHost(authority) else { throw .malformedStartLine }
        let path = rest[authority.endIndex...]
        return (String(authority), path.hasPrefix("/") ? String(path) : "/\(path)")
    }

    /// The version in "HTTP/1.x": exactly eight bytes, upper case.
    static func version(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> HTTPVersion {
        let digits = bytes.dropFirst(5)
        guard bytes.starts(with: "HTTP/".utf8), digits.count == 3,
            let major = digits.first, let minor = digits.last,
            digits.dropFirst().first == UInt8(ascii: "."),
            CharacterClass.isDigit(major), CharacterClass.isDigit(minor)
        else { throw .malformedStartLine }
        guard major == UInt8(ascii: "1") else { throw .unsupportedVersion }
        return minor == UInt8(ascii: "0") ? .http10 : .http11
    }

    /// The head with its fields.
    func head(with headers: HTTPHeaders) throws(HTTPError) -> HTTPRequestHead {
        var headers = headers
        try checkHost(headers)
        if let authority { headers[.host] = authority }
        return HTTPRequestHead(method: method, target: target, version: version, headers: headers)
    }

    /// Requires exactly one valid `Host` (RFC 9112 section 3.2); HTTP/1.0 may omit it. It may be
    /// empty if the target has the host: every HTTP URI has one (section 3.3).
    private func checkHost(_ headers: HTTPHeaders) throws(HTTPError) {
        let hosts = headers.values(of: .host)
        if hosts.isEmpty, version == .http10 { return }
        guard hosts.count == 1, HostSyntax.isValid(hosts[0]),
            authority != nil || HostSyntax.namesHost(hosts[0])
        else { throw .invalidHost }
    }
}

/// A parsed status line.
struct StatusLine {
    var version: HTTPVersion
    var status: HTTPStatus

    /// Parses "HTTP/1.1 200 OK"; the phrase and the space before it may be missing.
    init(_ line: [UInt8]) throws(HTTPError) {
        version = try RequestLine.version(line.prefix(8))
        let rest = line.dropFirst(8)
        let digits = rest.dropFirst().prefix(3)
        let phrase = rest.dropFirst(4)
        guard rest.first == UInt8(ascii: " "), digits.count == 3,
            let code = Int(String(decoding: digits, as: UTF8.self)), (100...599).contains(code),
            phrase.isEmpty || phrase.first == UInt8(ascii: " "),
            phrase.allSatisfy(CharacterClass.isFieldValue)
        else { throw .malformedStartLine }
        status = HTTPStatus(code)
    }
}
