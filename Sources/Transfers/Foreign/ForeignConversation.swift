// A conversation of another system, before its messages are converted.

import ChatProtocol
import FoundationEssentials
import JSONText

/// A converter's result for one element of a file.
struct ForeignConversation {
    let system: ForeignSystem
    /// Its id in that system.
    var id: String
    var title = ""
    var createdAt: Timestamp?
    var updatedAt: Timestamp?
    /// The system prompts, in file order.
    var systemPrompts: [String] = []
    var settings = GenerationSettings()
    var nodes: [ForeignNode] = []
    /// The node that the user saw last.
    var currentNode: String?
}

/// A node of another system's tree.
struct ForeignNode {
    enum Speaker {
        /// Not imported; its children move up to its parent.
        case nobody
        case person
        /// A model, or a tool on its behalf.
        case model
    }

    var id: String
    var parent: String?
    var speaker = Speaker.nobody
    var text = ""
    var time: Timestamp?
    var state = MessageState.complete
    var model: String?
}

/// Why one conversation is left out of an import.
struct SkippedConversation: Error {
    let reason: ImportReason
}

/// Texts and times in other systems' formats.
enum ForeignValue {
    /// A Unix time in seconds, or in milliseconds or smaller units if it is too large for seconds,
    /// since some systems' fields changed their unit. Nil if it is not a plausible time of a chat.
    static func time(_ value: JSONValue?) -> Timestamp? {
        if let text = value?.string { return time(text) }
        guard var seconds = value?.double, (1..<1e20).contains(seconds) else { return nil }
        while seconds >= 1e11 { seconds /= 1000 }
        return Timestamp(milliseconds: Int64((seconds * 1000).rounded()))
    }

    /// RFC 3339.
    static func time(_ text: String) -> Timestamp? {
        guard text.utf8.count <= 40 else { return nil }
        for hasFraction in [true, false] {
            let format = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
            if let date = try? format.parse(text), (0..<1e11).contains(date.timeIntervalSince1970) {
                return Timestamp(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
            }
        }
        return nil
    }

    /// A number that is within bounds.
    static func number(_ value: JSONValue?, in range: ClosedRange<Double>) -> Double? {
        value?.double.flatMap { range.contains($0) ? $0 : nil }
    }

    /// A text that is not empty.
    static func text(_ value: JSONValue?) -> String? {
        value?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The texts of a list, or one text; nil if there are none.
    static func texts(_ value: JSONValue?) -> [String]? {
        let texts = value?.string.map { [$0] } ?? value?.array?.compactMap(\.string)
        return texts.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// `code` in a fence longer than any it contains.
    static func fenced(_ code: String, language: String) -> String {
        var run = 0
        var longest = 2
        for byte in code.utf8 {
            run = byte == UInt8(ascii: "`") ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: longest + 1)
        let isWord = language.utf8.count <= 32 && language.unicodeScalars.allSatisfy(isPlain)
        return "\(fence)\(isWord ? language : "")\n\(code)\n\(fence)"
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            && (scalar.properties.isAlphabetic || "0123456789+#-".unicodeScalars.contains(scalar))
    }

    /// `text` without characters that the database does not store, cut to `limit` bytes.
    /// - Returns: the text, and what was changed.
    static func fit(
        _ text: String,
        within limit: Int
    ) -> (text: String, changes: [ImportReason]) {
        var changes: [ImportReason] = []
        var fitting = cut(text, to: limit)
        if fitting.utf8.contains(0) {
            let scalars = fitting.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }
            fitting = cut(String(String.UnicodeScalarView(scalars)), to: limit)
            changes.append(.nulCharacter)
        }
        if text.utf8.count > limit { changes.append(.cutText) }
        return (fitting, changes)
    }

    private static func cut(_ text: String, to limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: text.unicodeScalars) == nil {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }
}
