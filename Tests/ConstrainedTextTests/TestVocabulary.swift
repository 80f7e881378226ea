import ConstrainedText
import TestSupport

/// A vocabulary of bytes and of tokens that cross the borders of values and of characters.
enum TestVocabulary {
    static let stop: Int32 = 1

    static let pieces: [[UInt8]] = {
        var pieces: [[UInt8]] = [[], []]
        pieces += (0...255).map { [UInt8($0)] }
        let texts = [
            "{\"", "\":", "\": ", "\",\"", "\", \"", "\"}", "\"}]", "}}", "}]", "]}", "[{\"", "[]",
            "{}", "\"]", "[\"", "\n", "\n  ", "\n    ", ", ", ",\"", " \"", "true", " true",
            "false", "null", " null", "name", "\"name", "\"name\":", "the", " the", " and", "a",
            "tion", "ing", "00", "000", "12", "123", "1.5", ".5", "-1", "e1", "1,", "2]", "3}",
            "\\n", "\\\"", "\\u", "\\u00", "d83d", "\\ud83d\\ude00", "é", "ü", "漢字", "😀", "2024",
            "-01", "-02", "T1", ":00", "abc", "ab", "xy", "aa", "aaa", "aaaa", "@", ".com", "red",
            "green", "blue", "\"red\"", "\"red\",", "\"kind\":\"", "value", "items", "count", "id",
        ]
        pieces += texts.map { Array($0.utf8) }
        // Parts of characters.
        pieces += [[0xE6, 0xBC], [0xBC, 0xA2], [0xF0, 0x9F], [0x80, 0x41], [0x22, 0xC3]]
        return pieces
    }()

    static let trie = TokenTrie(tokenLimit: pieces.count) { pieces[Int($0)] }

    static func constraint(_ constraint: AnswerConstraint) throws -> TokenConstraint {
        try TokenConstraint(CompiledConstraint(constraint), trie: trie, stopTokens: [stop])
    }

    /// Draws allowed tokens until the answer ends.
    /// - Returns: the text, whether the stop token ended it, and the number of tokens.
    static func walk(
        _ constraint: TokenConstraint,
        room: Int,
        _ generator: inout SeededGenerator
    ) -> (text: [UInt8], isStopped: Bool, count: Int)? {
        let answer = ConstrainedAnswer(constraint)
        var text: [UInt8] = []
        for count in 0..<room {
            let allowed = answer.allowedTokens(room: room - count).tokens
            guard let token = allowed.randomElement(using: &generator) else { return nil }
            if token == stop { return (text, true, count) }
            guard answer.advance(token) else { return nil }
            text += pieces[Int(token)]
        }
        return answer.isComplete ? (text, false, room) : nil
    }
}
