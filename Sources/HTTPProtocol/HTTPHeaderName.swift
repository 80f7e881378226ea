// Field names: tokens, compared case-insensitively.

/// A field name. It is a token, so it can be written without escaping.
public struct HTTPHeaderName: Sendable, Hashable, ExpressibleByStringLiteral,
    CustomStringConvertible
{
    /// A name's forms, which all fields with that name share if it is a usual one.
    private final class Spelling: Sendable {
        let text: String
        let lowercased: String
        /// A hash of `lowercased`: nearly all comparisons are of different names.
        let hash: Int

        init(_ text: String) {
            self.text = text
            lowercased = text.lowercased()
            // FNV-1a.
            hash = lowercased.utf8.reduce(0x100_01B3) { ($0 ^ Int($1)) &* 0x100_0000_01B3 }
        }
    }

    private let spelling: Spelling

    /// The name as given, and as written to the wire.
    public var text: String { spelling.text }
    /// The name in lower case, for comparison.
    public var lowercased: String { spelling.lowercased }

    /// The name `text`, or nil if it is not a token (RFC 9110 section 5.1).
    public init?(_ text: String) {
        guard CharacterClass.isToken(text) else { return nil }
        spelling = Spelling(text)
    }

    /// The name in the bytes of a message; nil if it is not a token. Names that nearly all messages
    /// have are found without making a string.
    init?(_ bytes: Span<UInt8>) {
        if let usual = Self.usual(bytes) {
            self = usual
        } else {
            self.init(bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) })
        }
    }

    /// A name in source code.
    /// - Precondition: it is a token.
    public init(stringLiteral text: StaticString) {
        let text = text.description
        precondition(CharacterClass.isToken(text), "a field's name is a token")
        spelling = Spelling(text)
    }

    /// The name as given.
    public var description: String { text }

    /// Whether two names are equal, ignoring case.
    public static func == (left: Self, right: Self) -> Bool {
        let (one, other) = (left.spelling, right.spelling)
        return one === other || one.hash == other.hash && one.lowercased == other.lowercased
    }

    /// Feeds the lower-case name to `hasher`.
    public func hash(into hasher: inout Hasher) { hasher.combine(lowercased) }
}

extension HTTPHeaderName {
    private struct Usual {
        let bytes: [UInt8]
        let name: HTTPHeaderName
    }

    /// Names that browsers, proxies and programs send, by length.
    private static let usual: [[Usual]] = {
        let names: [HTTPHeaderName] = [
            .accept, .acceptEncoding, "Accept-Language", .authorization, .cacheControl,
            .connection, .contentLength, .contentType, .cookie, .host, .ifModifiedSince,
            .ifNoneMatch, .origin, "Pragma", "Referer", "Sec-Fetch-Dest", "Sec-Fetch-Mode",
            "Sec-Fetch-Site", "Sec-WebSocket-Extensions", "Sec-WebSocket-Key",
            "Sec-WebSocket-Protocol", "Sec-WebSocket-Version", .transferEncoding, .upgrade,
            .userAgent, "X-Forwarded-For", "X-Forwarded-Proto", "X-Real-IP",
        ]
        let longest = names.map(\.text.utf8.count).max() ?? 0
        var byLength = [[Usual]](repeating: [], count: longest + 1)
        for name in names {
            byLength[name.text.utf8.count].append(Usual(bytes: Array(name.text.utf8), name: name))
        }
        return byLength
    }()

    /// The usual name that is spelt like `bytes`, also in the cases of its letters.
    private static func usual(_ bytes: Span<UInt8>) -> HTTPHeaderName? {
        guard bytes.count < usual.count else { return nil }
        for candidate in usual[bytes.count]
        where bytes.hasSameBytes(as: candidate.bytes.span) {
            return candidate.name
        }
        return nil
    }
}

/// Names used in Stoa.
extension HTTPHeaderName {
    /// `Accept`.
    public static let accept: Self = "Accept"
    /// `Accept-Encoding`.
    public static let acceptEncoding: Self = "Accept-Encoding"
    /// `Accept-Ranges`.
    public static let acceptRanges: Self = "Accept-Ranges"
    /// `Allow`.
    public static let allow: Self = "Allow"
    /// `Authorization`.
    public static let authorization: Self = "Authorization"
    /// `Cache-Control`.
    public static let cacheControl: Self = "Cache-Control"
    /// `Connection`.
    public static let connection: Self = "Connection"
    /// `Content-Encoding`.
    public static let contentEncoding: Self = "Content-Encoding"
    /// `Content-Length`. Written by the connection.
    public static let contentLength: Self = "Content-Length"
    /// `Content-Range`.
    public static let contentRange: Self = "Content-Range"
    /// `Content-Type`.
    public static let contentType: Self = "Content-Type"
    /// `Cookie`.
    public static let cookie: Self = "Cookie"
    /// `Date`.
    public static let date: Self = "Date"
    /// `ETag`.
    public static let eTag: Self = "ETag"
    /// `Expect`.
    public static let expect: Self = "Expect"
    /// `Host`.
    public static let host: Self = "Host"
    /// `If-Match`.
    public static let ifMatch: Self = "If-Match"
    /// `If-Modified-Since`.
    public static let ifModifiedSince: Self = "If-Modified-Since"
    /// `If-None-Match`.
    public static let ifNoneMatch: Self = "If-None-Match"
    /// `If-Range`.
    public static let ifRange: Self = "If-Range"
    /// `If-Unmodified-Since`.
    public static let ifUnmodifiedSince: Self = "If-Unmodified-Since"
    /// `Last-Modified`.
    public static let lastModified: Self = "Last-Modified"
    /// `Location`.
    public static let location: Self = "Location"
    /// `Origin`.
    public static let origin: Self = "Origin"
    /// `Range`.
    public static let range: Self = "Range"
    /// `Retry-After`.
    public static let retryAfter: Self = "Retry-After"
    /// `Server`.
    public static let server: Self = "Server"
    /// `Set-Cookie`.
    public static let setCookie: Self = "Set-Cookie"
    /// `Transfer-Encoding`. Written by the connection.
    public static let transferEncoding: Self = "Transfer-Encoding"
    /// `Upgrade`.
    public static let upgrade: Self = "Upgrade"
    /// `User-Agent`.
    public static let userAgent: Self = "User-Agent"
    /// `Vary`.
    public static let vary: Self = "Vary"
    /// `WWW-Authenticate`.
    public static let wwwAuthenticate: Self = "WWW-Authenticate"
}
