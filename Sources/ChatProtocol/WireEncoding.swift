// Replies and events as bytes, and bytes as what a client reads.

import FoundationEssentials

/// The protocol's name, as the WebSocket handshake selects it.
public let subprotocolName = "stoa.v1"

/// How this module's types become the text of a frame, and back.
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
    /// None of this module's types fails to encode. One that did would be a mistake of ours: the frame
    /// then says so, and the connection lives on.
    public static func text(_ value: some Encodable) -> [UInt8] {
        (try? JSONTextEncoder.encode(value))
            ?? Array(#"{"error":{"code":"internal","message":"unencodable reply"}}"#.utf8)
    }

    /// A reply that grants: `{"id":7,"ok":{…}}`.
    public static func reply(_ id: Int64, ok body: some Encodable) -> [UInt8] {
        text(Success(id: id, ok: body))
    }

    /// The same with the JSON text of the body.
    public static func reply(_ id: Int64, okText body: [UInt8]) -> [UInt8] {
        Array("{\"id\":\(id),\"ok\":".utf8) + body + Array("}".utf8)
    }

    /// A reply that refuses: `{"id":7,"error":{…}}`; without a number where none could be read.
    public static func reply(_ id: Int64?, error: WireError) -> [UInt8] {
        text(Failure(id: id, error: error))
    }

    /// An event.
    public static func event(_ event: ServerEvent) -> [UInt8] { text(event) }
}

/// A frame from the server, as a client reads it.
public enum ServerFrame: Sendable {
    /// The reply to the request of that number: the JSON text of its `ok`, to be decoded by whoever
    /// asked, or its error. The number is nil where the server could not read one.
    case reply(id: Int64?, Result<ReplyText, WireError>)
    /// An event.
    case event(ServerEvent)
    /// An event of a name that this client does not know: to be ignored.
    case unknown

    /// Reads the text of one frame.
    /// - Throws: `DecodingError` where it is neither.
    public static func parse(_ text: [UInt8]) throws -> ServerFrame {
        switch try JSONDecoder().decode(Content.self, from: Data(text)) {
        case .event(let event): .event(event)
        case .unknown: .unknown
        case .reply(let id, nil): .reply(id: id, .success(ReplyText(frame: text)))
        case .reply(let id, let error?): .reply(id: id, .failure(error))
        }
    }

    /// What can be read without knowing what was asked.
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

/// A granting reply that nobody has decoded yet.
public struct ReplyText: Sendable {
    let frame: [UInt8]

    /// Reads what stands under `ok`.
    /// - Throws: `DecodingError` where it is no `Body`.
    public func decode<Body: Decodable>(as type: Body.Type) throws -> Body {
        try JSONDecoder().decode(Envelope<Body>.self, from: Data(frame)).ok
    }

    private struct Envelope<Body: Decodable>: Decodable {
        let ok: Body
    }
}
