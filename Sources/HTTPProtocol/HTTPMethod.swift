// Request methods, RFC 9110 section 9. An unknown method is a value like any other: whether a route
// takes it is the router's answer (405 or 501).

/// A request's method. Case matters: `get` is not GET.
public struct HTTPMethod: Sendable, Hashable, CustomStringConvertible {
    /// The method as it stands in the request line.
    public let name: String

    /// The method `name`, or nil where it is no token.
    public init?(_ name: String) {
        guard CharacterClass.isToken(name) else { return nil }
        self.name = name
    }

    private init(known name: String) { self.name = name }

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
