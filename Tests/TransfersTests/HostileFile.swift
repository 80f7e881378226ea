// Malicious and damaged files, each with the expected outcome.

/// A malicious or damaged file.
struct HostileFile: Sendable, CustomStringConvertible {
    enum Outcome: Sendable, Equatable {
        /// Nothing is imported, and the error contains this.
        case refused(String)
        /// This many conversations are imported, and the report of what was left out contains this.
        case skipped(String, conversations: Int)
        /// This many conversations are imported, and the report of what was changed contains this.
        case changed(String, conversations: Int)
    }

    let name: String
    let bytes: [UInt8]
    let outcome: Outcome

    var description: String { name }

    static func refused(_ name: String, _ text: String, _ error: String) -> HostileFile {
        HostileFile(name: name, bytes: Array(text.utf8), outcome: .refused(error))
    }

    static func refused(_ name: String, _ bytes: [UInt8], _ error: String) -> HostileFile {
        HostileFile(name: name, bytes: bytes, outcome: .refused(error))
    }

    static func skipped(
        _ name: String,
        _ text: String,
        _ reason: String,
        conversations: Int = 0
    ) -> HostileFile {
        HostileFile(
            name: name,
            bytes: Array(text.utf8),
            outcome: .skipped(reason, conversations: conversations)
        )
    }

    static func changed(_ name: String, _ text: String, _ reason: String) -> HostileFile {
        HostileFile(
            name: name,
            bytes: Array(text.utf8),
            outcome: .changed(reason, conversations: 1)
        )
    }

    static let all = archives + texts + sizes + shapes + trees + cuts

    // MARK: Conversations

    /// A node of ChatGPT's export; `parent` and `text` are JSON.
    static func node(
        _ id: String,
        _ parent: String,
        role: String = "user",
        text: String = "\"t\"",
        more: String = ""
    ) -> String {
        #""\#(id)":{"parent":\#(parent),"message":{"author":{"role":"\#(role)"},"#
            + #""content":{"content_type":"text","parts":[\#(text)]}\#(more)}}"#
    }

    static func chatGPT(_ nodes: [String], more: String = #","id":"c""#) -> String {
        #"{"title":"t","mapping":{\#(nodes.joined(separator: ","))}\#(more)}"#
    }

    static let sound = chatGPT([node("q", "null"), node("a", "\"q\"", role: "assistant")])

    static func openWebUI(_ messages: String, more: String = "") -> String {
        #"[{"id":"w","chat":{"title":"t","history":{"messages":\#(messages)}}\#(more)}]"#
    }

    static func libreChat(_ messages: String, id: String = "\"l\"") -> String {
        #"{"conversationId":\#(id),"title":"t","messages":\#(messages)}"#
    }
}
