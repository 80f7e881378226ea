// Server-sent events (HTML Living Standard, section 9.2), as OpenAI's API uses them.

import ChatProtocol

/// Writes the frames of a stream.
public enum EventStream {
    /// The media type of a stream.
    public static let mediaType = "text/event-stream; charset=utf-8"

    /// The frame after the last chunk.
    public static let done = Array("data: [DONE]\n\n".utf8)

    /// A comment, which clients ignore: it keeps a connection in use while an answer waits.
    public static let comment = Array(": waiting\n\n".utf8)

    /// A frame with an event's name and a value's JSON.
    static func frame(_ value: some Encodable, named name: String) -> [UInt8] {
        Array("event: \(name)\n".utf8) + frame(value)
    }

    /// A frame with a value's JSON, which has no line break.
    public static func frame(_ value: some Encodable) -> [UInt8] {
        Array("data: ".utf8) + WireEncoding.text(value) + Array("\n\n".utf8)
    }
}
