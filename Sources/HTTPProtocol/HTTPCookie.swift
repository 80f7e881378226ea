// Cookies, RFC 6265: parses `Cookie` and writes `Set-Cookie`.

/// A cookie for a `Set-Cookie` field, with the attributes that a session needs.
public struct HTTPCookie: Sendable, Hashable {
    /// When a browser sends the cookie with requests from another site.
    public enum SameSite: String, Sendable, Hashable {
        /// Never.
        case strict = "Strict"
        /// When the user follows a link.
        case lax = "Lax"
    }

    /// The cookie's name, a token.
    public let name: String
    /// The cookie's value.
    public let value: String
    /// The path prefix for which it is sent.
    public let path: String
    /// Lifetime in whole seconds; 0 deletes the cookie, nil makes it a session cookie.
    public let maxAge: Duration?
    /// Whether it is hidden from scripts.
    public let isHTTPOnly: Bool
    /// Whether it is only sent over TLS.
    public let isSecure: Bool
    /// When it is sent with requests from other sites.
    public let sameSite: SameSite

    /// Creates a cookie; nil if the name is not a token, or the value or path has characters that
    /// are not allowed (control characters, white space, quotes, commas, semicolons, backslashes).
    public init?(
        _ name: String,
        _ value: String,
        path: String = "/",
        maxAge: Duration? = nil,
        isHTTPOnly: Bool = true,
        isSecure: Bool,
        sameSite: SameSite = .lax
    ) {
        guard CharacterClass.isToken(name), value.utf8.allSatisfy(Self.isCookieByte),
            path.hasPrefix("/"), path.utf8.allSatisfy(Self.isCookieByte)
        else { return nil }
        self.name = name
        self.value = value
        self.path = path
        self.maxAge = maxAge
        self.isHTTPOnly = isHTTPOnly
        self.isSecure = isSecure
        self.sameSite = sameSite
    }

    /// The value of the `Set-Cookie` field.
    public var setCookieValue: String {
        var text = "\(name)=\(value); Path=\(path)"
        if let maxAge { text += "; Max-Age=\(max(maxAge.components.seconds, 0))" }
        if isHTTPOnly { text += "; HttpOnly" }
        if isSecure { text += "; Secure" }
        return text + "; SameSite=\(sameSite.rawValue)"
    }

    /// `cookie-octet` of RFC 6265 section 4.1.1.
    private static func isCookieByte(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\",;\\".utf8.contains(byte)
    }
}

extension HTTPRequestHead {
    /// The value of the first cookie `name` that the client has sent, without surrounding quotes.
    public func cookie(_ name: String) -> String? {
        for line in headers.values(of: .cookie) {
            for pair in Array(line.utf8).split(separator: UInt8(ascii: ";")) {
                let pair = CharacterClass.trimmed(pair)
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")),
                    pair[..<equals].elementsEqual(name.utf8)
                else { continue }
                var value = pair[(equals + 1)...]
                let quote = UInt8(ascii: "\"")
                if value.count >= 2, value.first == quote, value.last == quote {
                    value = value.dropFirst().dropLast()
                }
                return String(decoding: value, as: UTF8.self)
            }
        }
        return nil
    }
}
