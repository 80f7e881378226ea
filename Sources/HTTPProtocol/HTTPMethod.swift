// Request methods, RFC 9110 section 9. Unknown methods are values too: the router responds with 405
// or 501.

/// A request method, case-sensitive.
public struct HTTPMethod: Sendable, Hashable, CustomStringConvertible {
    /// The method as written in the request line.
    public let name: String

    /// The method `name`, or nil if it is not a token.
    public init?(_ name: String) {
        guard CharacterClass.isToken(name) else { return nil }
        self.name = name
    }

    private init(known name: String) { self.name = name }

    /// The method in the bytes of a request line; nil if it is not a token.
    init?(_ bytes: Span<UInt8>) {
        for known in [Self.get, .post] where bytes.hasSameBytes(as: known.name.utf8.span) {
            self = known
            return
        }
        self.init(bytes.text)
    }

    /// The method's name.
    public var description: String { name }

    /// GET.
    public static let get = HTTPMethod(known: "GET")
    /// HEAD: GET without the response's body.
    public static let head = HTTPMethod(known: "HEAD")
    /// POST.
    public static let post = HTTPMethod(known: "POST")
    /// PUT.
    public static let put = HTTPMethod(known: "PUT")
    /// PATCH.
    public static let patch = HTTPMethod(known: "PATCH")
    /// DELETE.
    public static let delete = HTTPMethod(known: "DELETE")
    /// OPTIONS.
    public static let options = HTTPMethod(known: "OPTIONS")
    /// TRACE.
    public static let trace = HTTPMethod(known: "TRACE")
}
