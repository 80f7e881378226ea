// How calls and results of tools are kept in the texts of a conversation. In a conversation of a request
// with tools, a text of the user begins with the mark of its source, which only this file writes and
// removes: so the result of a tool is told from a message of a user, and no text can pass for the other. An
// answer is kept as a model of the Phi-4-mini family writes it.

/// A text of a conversation of a request with tools.
public struct ToolText: Sendable, Hashable {
    /// Whose text it is.
    public enum Source: String, Sendable, Hashable {
        case user = "<|user|>"
        case result = "<|tool_response|>"
    }

    /// The text of the token before the calls of an answer.
    public static let callsOpening = "<|tool_call|>"
    /// The text of the token after them.
    public static let callsClosing = "<|/tool_call|>"

    /// Whose text it is.
    public var source: Source
    /// The text.
    public var text: String

    /// Creates a text.
    public init(_ source: Source, _ text: String) {
        self.source = source
        self.text = text
    }

    /// Reads the stored form; a text without a mark is a user's.
    public init(stored: String) {
        // Bytes are compared: a character may consist of the mark's end and what follows.
        for source in [Source.user, .result] where stored.utf8.starts(with: source.rawValue.utf8) {
            self.init(source, String(stored.utf8.dropFirst(source.rawValue.utf8.count)) ?? "")
            return
        }
        self.init(.user, stored)
    }

    /// The stored form.
    public var stored: String { source.rawValue + text }
}

extension PromptMessage {
    /// The message as it is stored in a conversation of a request with tools, with its parts apart: a
    /// result has the role `tool`, and the calls of an answer are not in its text.
    public var withTools: PromptMessage {
        var message = self
        if role == "user" {
            let read = ToolText(stored: text)
            message.text = read.text
            if read.source == .result { message.role = "tool" }
            return message
        }
        let bytes = Array(text.utf8)
        guard role == "assistant",
            let begin = bytes.firstRange(of: Array(ToolText.callsOpening.utf8))
        else { return self }
        var calls = bytes[begin.upperBound...]
        if let end = calls.firstRange(of: Array(ToolText.callsClosing.utf8)) {
            // Text after the calls stays where it is, and so do they.
            guard end.upperBound == bytes.endIndex else { return self }
            calls = calls[..<end.lowerBound]
        }
        message.calls = String(decoding: calls, as: UTF8.self)
        message.text = String(decoding: bytes[..<begin.lowerBound], as: UTF8.self)
        return message
    }
}
