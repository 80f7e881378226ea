// A complete response.

import ChatProtocol
import FoundationEssentials
public import HTTPProtocol

/// A response with its body.
public struct HTTPReply: Sendable {
    /// Status and fields.
    public var head: HTTPResponseHead
    /// The body, with chunks decoded.
    public var body: [UInt8]

    /// A response.
    public init(head: HTTPResponseHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    /// The status.
    public var status: HTTPStatus { head.status }

    /// The body as text; invalid UTF-8 is replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Decodes the body as JSON, or throws the error that it contains.
    /// - Throws: `.refused` with the server's error, `.status`, or `.malformed`.
    public func decode<Body: Decodable>(as type: Body.Type) throws(ChatClientError) -> Body {
        guard status.isSuccess else { throw refusal }
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch {
            throw .malformed(DecodingError.reason(of: error))
        }
    }

    /// The error for a status other than success.
    var refusal: ChatClientError {
        guard let told = try? JSONDecoder().decode(ErrorBody.self, from: Data(body)) else {
            return .status(status)
        }
        return .refused(told.error)
    }
}
