// The head of a response.

/// A response's status and fields.
public struct HTTPResponseHead: Sendable, Hashable {
    /// The status.
    public var status: HTTPStatus
    /// The fields. The connection writes `Content-Length` and `Transfer-Encoding` itself and
    /// ignores them here.
    public var headers: HTTPHeaders

    /// A response's head.
    public init(_ status: HTTPStatus, headers: HTTPHeaders = HTTPHeaders()) {
        self.status = status
        self.headers = headers
    }
}
