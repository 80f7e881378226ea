// Request lines and status lines: RFC 9112 sections 3 and 4.

/// A parsed request line.
struct RequestLine {
    var method: HTTPMethod
    var target: String
    var version: HTTPVersion
    /// The host of a target in absolute form; it overrides the field (RFC 9112 section 3.2.2).
    var authority: String?

    /// Parses `line`. It must have exactly two spaces, since readers split other lines differently.
    init(_ line: Span<UInt8>) throws(HTTPError) {
        let space = UInt8(ascii: " ")
        // A third space would be in the version, which has eight other bytes.
        guard let first = line.firstIndex(of: space),
            let second = line.firstIndex(of: space, from: first + 1)
        else { throw .malformedStartLine }
        let target = line.extracting((first + 1)..<second)
        guard let method = HTTPMethod(line.extracting(..<first)), !target.isEmpty,
            target.withUnsafeBufferPointer({ $0.allSatisfy(CharacterClass.isTarget) })
        else { throw .malformedStartLine }
        let version = try Self.version(line.extracting((second + 1)...))
        guard method.name != "CONNECT" else { throw .unsupportedMethod }
        try self.init(method, target.text, version)
    }

    private init(
        _ method: HTTPMethod,
        _ target: String,
        _ version: HTTPVersion
    ) throws(HTTPError) {
        self.method = method
        self.version = version
        if target.utf8.first == UInt8(ascii: "/") || (target == "*" && method == .options) {
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
        guard HostSyntax.namesHost(String(authority).utf8.span) else { throw .malformedStartLine }
        let path = rest[authority.endIndex...]
        return (String(authority), path.hasPrefix("/") ? String(path) : "/\(path)")
    }

    /// The version in "HTTP/1.x": exactly eight bytes, upper case.
    static func version(_ bytes: Span<UInt8>) throws(HTTPError) -> HTTPVersion {
        guard bytes.count == 8, bytes.extracting(..<5).hasSameBytes(as: "HTTP/".utf8.span),
            bytes[6] == UInt8(ascii: "."),
            CharacterClass.isDigit(bytes[5]), CharacterClass.isDigit(bytes[7])
        else { throw .malformedStartLine }
        guard bytes[5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        return bytes[7] == UInt8(ascii: "0") ? .http10 : .http11
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
        let count = headers.count(of: .host)
        if count == 0, version == .http10 { return }
        guard count == 1, let host = headers[.host], HostSyntax.isValid(host.utf8.span),
            authority != nil || HostSyntax.namesHost(host.utf8.span)
        else { throw .invalidHost }
    }
}

/// A parsed status line.
struct StatusLine {
    var version: HTTPVersion
    var status: HTTPStatus

    /// Parses "HTTP/1.1 200 OK"; the phrase and the space before it may be missing.
    init(_ line: [UInt8]) throws(HTTPError) {
        version = try RequestLine.version(line.span.extracting(..<min(8, line.count)))
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
