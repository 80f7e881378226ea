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
    /// An encoder fails only on values that JSON has no form for (not-a-number). Such a value is a
    /// mistake of ours: the frame then says so, and the connection lives on.
    public static func text(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "Infinity",
            negativeInfinity: "-Infinity",
            nan: "NaN"
        )
        guard let data = try? encoder.encode(value) else {
            return Array(#"{"error":{"code":"internal","message":"unencodable reply"}}"#.utf8)
        }
        return Array(data)
    }

    /// A reply that grants: `{"id":7,"ok":{…}}`.
    public static func reply(_ id: Int64, ok body: some Encodable) -> [UInt8] {
        text(Success(id: id, ok: body))
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
        let data = Data(text)
        let head = try JSONDecoder().decode(Head.self, from: data)
        if let name = head.ev {
            guard ServerEvent.Name(rawValue: name) != nil else { return .unknown }
            return .event(try JSONDecoder().decode(ServerEvent.self, from: data))
        }
        if let error = head.error { return .reply(id: head.id, .failure(error)) }
        return .reply(id: head.id, .success(ReplyText(frame: text)))
    }

    private struct Head: Decodable {
        let id: Int64?
        let ev: String?
        let error: WireError?
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
