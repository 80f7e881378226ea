// Status codes, RFC 9110 section 15, and RFC 6585 for the newer ones.

/// A three-digit status code.
public struct HTTPStatus: Sendable, Hashable, CustomStringConvertible {
    /// The number, 100 to 999.
    public let code: Int

    /// The status `code`.
    /// - Precondition: `code` has three digits.
    public init(_ code: Int) {
        precondition((100...999).contains(code), "a status code has three digits")
        self.code = code
    }

    /// 1xx: another response to the same request follows (except 101).
    public var isInformational: Bool { code < 200 }
    /// 2xx.
    public var isSuccess: Bool { (200...299).contains(code) }
    /// 3xx.
    public var isRedirection: Bool { (300...399).contains(code) }

    /// Whether a response with this status never has a body (RFC 9110 section 6.4.1).
    public var forbidsBody: Bool { isInformational || code == 204 || code == 304 }

    /// The number with its reason phrase: "404 Not Found".
    public var description: String {
        reasonPhrase.isEmpty ? "\(code)" : "\(code) \(reasonPhrase)"
    }

    /// The reason phrase; empty for an unknown code.
    public var reasonPhrase: String { Self.reasonPhrases[code] ?? "" }

    private static let reasonPhrases: [Int: String] = [
        100: "Continue", 101: "Switching Protocols",
        200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout",
        409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed",
        413: "Content Too Large", 414: "URI Too Long", 415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 417: "Expectation Failed",
        421: "Misdirected Request", 422: "Unprocessable Content",
        426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
        507: "Insufficient Storage",
    ]
}

/// The codes used in Stoa.
extension HTTPStatus {
    /// 100: the client may send the body.
    public static let `continue` = HTTPStatus(100)
    /// 101: the connection switches protocols.
    public static let switchingProtocols = HTTPStatus(101)
    /// 200.
    public static let ok = HTTPStatus(200)
    /// 201.
    public static let created = HTTPStatus(201)
    /// 202: accepted, not finished.
    public static let accepted = HTTPStatus(202)
    /// 204: success without a body.
    public static let noContent = HTTPStatus(204)
    /// 206: the requested range.
    public static let partialContent = HTTPStatus(206)
    /// 303: redirects to another URL with GET.
    public static let seeOther = HTTPStatus(303)
    /// 304: the client's copy is current.
    public static let notModified = HTTPStatus(304)
    /// 400.
    public static let badRequest = HTTPStatus(400)
    /// 401: sign in first.
    public static let unauthorized = HTTPStatus(401)
    /// 403.
    public static let forbidden = HTTPStatus(403)
    /// 404.
    public static let notFound = HTTPStatus(404)
    /// 405: needs `Allow`.
    public static let methodNotAllowed = HTTPStatus(405)
    /// 406: no representation is acceptable to the client.
    public static let notAcceptable = HTTPStatus(406)
    /// 408.
    public static let requestTimeout = HTTPStatus(408)
    /// 409.
    public static let conflict = HTTPStatus(409)
    /// 412: a condition of the request does not hold.
    public static let preconditionFailed = HTTPStatus(412)
    /// 413.
    public static let contentTooLarge = HTTPStatus(413)
    /// 414.
    public static let uriTooLong = HTTPStatus(414)
    /// 415.
    public static let unsupportedMediaType = HTTPStatus(415)
    /// 416.
    public static let rangeNotSatisfiable = HTTPStatus(416)
    /// 417.
    public static let expectationFailed = HTTPStatus(417)
    /// 421: this server does not serve the requested host.
    public static let misdirectedRequest = HTTPStatus(421)
    /// 422.
    public static let unprocessableContent = HTTPStatus(422)
    /// 426: needs `Upgrade`.
    public static let upgradeRequired = HTTPStatus(426)
    /// 429.
    public static let tooManyRequests = HTTPStatus(429)
    /// 431.
    public static let requestHeaderFieldsTooLarge = HTTPStatus(431)
    /// 500.
    public static let internalServerError = HTTPStatus(500)
    /// 501.
    public static let notImplemented = HTTPStatus(501)
    /// 502.
    public static let badGateway = HTTPStatus(502)
    /// 503.
    public static let serviceUnavailable = HTTPStatus(503)
    /// 505.
    public static let httpVersionNotSupported = HTTPStatus(505)
}
