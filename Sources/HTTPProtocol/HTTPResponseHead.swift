// A response without its body: what routes answer with, and what clients get.

/// A response's status and fields.
public struct HTTPResponseHead: Sendable, Hashable {
    /// The status.
    public var status: HTTPStatus
    /// The fields. `Content-Length` and `Transfer-Encoding` are written by the connection, whatever
    /// stands here.
    public var headers: HTTPHeaders

    /// A response's head.
    public init(_ status: HTTPStatus, headers: HTTPHeaders = HTTPHeaders()) {
        self.status = status
        self.headers = headers
    }
}
