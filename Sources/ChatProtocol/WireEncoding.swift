// Encodes replies and events, and decodes frames for clients.

import FoundationEssentials
import JSONText

/// The name of the WebSocket subprotocol.
public let subprotocolName = "stoa.v1"

/// Encodes and decodes the text of frames.
public enum WireEncoding {
    private struct Success<Body: Encodable>: Encodable {
        let id: Int64
        let ok: Body
    }

    private struct Failure: Encodable {
        let id: Int64?
        let error: WireError
    }

    /// The text of a value's JSON.
    ///
    /// No type of this module fails to encode. If one did, by a bug, the frame would contain the
    /// error, and the connection would stay open.
    public static func text(_ value: some Encodable) -> [UInt8] {
        (try? JSONTextEncoder.encode(value))
            ?? Array(#"{"error":{"code":"internal","message":"unencodable reply"}}"#.utf8)
    }

    /// A success reply: `{"id":7,"ok":{…}}`.
    public static func reply(_ id: Int64, ok body: some Encodable) -> [UInt8] {
        text(Success(id: id, ok: body))
    }

    /// A success reply with a body that is JSON text already.
    public static func reply(_ id: Int64, okText body: [UInt8]) -> [UInt8] {
        Array("{\"id\":\(id),\"ok\":".utf8) + body + Array("}".utf8)
    }

    /// An error reply: `{"id":7,"error":{…}}`; without an id if the request's id could not be read.
    public static func reply(_ id: Int64?, error: WireError) -> [UInt8] {
        text(Failure(id: id, error: error))
    }

    /// An event.
    public static func event(_ event: ServerEvent) -> [UInt8] { text(event) }
}

/// A frame from the server, as a client reads it.
public enum ServerFrame: Sendable {
    /// The reply to the request with that id: the JSON text of its `ok`, which the caller decodes,
    /// or its error. The id is nil if the server could not read it.
    case reply(id: Int64?, Result<ReplyText, WireError>)
    /// An event.
    case event(ServerEvent)
    /// An event unknown to this client: to be ignored.
    case unknown

    /// Reads the text of one frame.
    /// - Throws: `DecodingError` if it is neither.
    public static func parse(_ text: [UInt8]) throws -> ServerFrame {
        switch try JSONDecoder().decode(Content.self, from: Data(text)) {
        case .event(let event): .event(event)
        case .unknown: .unknown
        case .reply(let id, nil): .reply(id: id, .success(ReplyText(frame: text)))
        case .reply(let id, let error?): .reply(id: id, .failure(error))
        }
    }

    /// What can be read without knowing the request.
    private enum Content: Decodable {
        case event(ServerEvent)
        case unknown
        case reply(id: Int64?, WireError?)

        private enum Key: CodingKey { case id, ev, error }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            guard let name = try container.decodeIfPresent(String.self, forKey: .ev) else {
                self = .reply(
                    id: try container.decodeIfPresent(Int64.self, forKey: .id),
                    try container.decodeIfPresent(WireError.self, forKey: .error)
                )
                return
            }
            let isKnown = ServerEvent.Name(rawValue: name) != nil
            self = isKnown ? .event(try ServerEvent(from: decoder)) : .unknown
        }
    }
}

/// A success reply that is not decoded yet.
public struct ReplyText: Sendable {
    let frame: [UInt8]

    /// Decodes the value of `ok`.
    /// - Throws: `DecodingError` if it is not a `Body`.
    public func decode<Body: Decodable>(as type: Body.Type) throws -> Body {
        try JSONDecoder().decode(Envelope<Body>.self, from: Data(frame)).ok
    }

    private struct Envelope<Body: Decodable>: Decodable {
        let ok: Body
    }
}
