// A whole response, as short exchanges want it.

import ChatProtocol
import FoundationEssentials
public import HTTPProtocol

/// A response with its body.
public struct HTTPReply: Sendable {
    /// Status and fields.
    public var head: HTTPResponseHead
    /// The body, after chunks were put together.
    public var body: [UInt8]

    /// Puts a reply together.
    public init(head: HTTPResponseHead, body: [UInt8]) {
        self.head = head
        self.body = body
    }

    /// The status.
    public var status: HTTPStatus { head.status }

    /// The body as text; bytes that are no UTF-8 are replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// Reads the body as JSON, or the error that it holds instead.
    /// - Throws: `.refused` with what the server says, `.status`, or `.malformed`.
    public func decode<Body: Decodable>(as type: Body.Type) throws(ChatClientError) -> Body {
        guard status.isSuccess else { throw refusal }
        do {
            return try JSONDecoder().decode(type, from: Data(body))
        } catch {
            throw .malformed(DecodingError.reason(of: error))
        }
    }

    /// What a status other than success means.
    var refusal: ChatClientError {
        guard let told = try? JSONDecoder().decode(ErrorBody.self, from: Data(body)) else {
            return .status(status)
        }
        return .refused(told.error)
    }
}
