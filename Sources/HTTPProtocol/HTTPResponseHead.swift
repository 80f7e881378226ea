// The head of a response.

/// A response's status and fields.
public struct HTTPResponseHead: Sendable, Hashable {
    /// The status.
    public var status: HTTPStatus
    /// The fields. The connection writes `Content-Length` and `Transfer-Encoding` itself and
    /// ignores them here.
    public var headers: HTTPHeaders {
        didSet { encodedHeaders = nil }
    }

    /// The encoding of `headers`, if it was made before for many responses; nil after a change.
    public private(set) var encodedHeaders: EncodedFields?

    /// A response's head.
    public init(_ status: HTTPStatus, headers: HTTPHeaders = HTTPHeaders()) {
        self.status = status
        self.headers = headers
    }

    /// A response's head with fields that were encoded before, as `encodedHeaders`.
    public init(_ status: HTTPStatus, headers: HTTPHeaders, encodedHeaders: EncodedFields) {
        self.status = status
        self.headers = headers
        self.encodedHeaders = encodedHeaders
    }
}
