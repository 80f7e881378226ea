// Added tokens such as "<|user|>", which are found in the text before it is normalized.

import Checkpoints
import JSONText

/// One of a file's `added_tokens`.
struct AddedToken: Sendable, Equatable {
    /// The token's number.
    let id: TokenID
    /// Its text.
    let content: String
    /// Whether it also matches the white space before it, which is then removed.
    let stripsLeft: Bool
    /// Whether it also matches the white space after it.
    let stripsRight: Bool
    /// Whether it is special: not part of the decoded text.
    let isSpecial: Bool

    /// Creates a token.
    init(id: TokenID, content: String, stripsLeft: Bool, stripsRight: Bool, isSpecial: Bool) {
        self.id = id
        self.content = content
        self.stripsLeft = stripsLeft
        self.stripsRight = stripsRight
        self.isSpecial = isSpecial
    }

    /// Reads one object of `added_tokens`.
    ///
    /// `normalized` means matching in normalized text; without a normalizer that is the text
    /// itself.
    init(_ value: JSONValue, isTextNormalized: Bool, path: String) throws(TokenizerError) {
        guard let id = value["id"]?.integer, (0...Vocabulary.tokenMax).contains(id),
            let content = value["content"]?.string, !content.isEmpty
        else {
            throw .malformed(path: path, reason: "an added token has no id or no content")
        }
        let refused = isTextNormalized ? ["single_word", "normalized"] : ["single_word"]
        for option in refused where value[option]?.bool == true {
            throw .unsupported(path: path, part: "the added token \(content)", found: option)
        }
        self.id = TokenID(id)
        self.content = content
        stripsLeft = value["lstrip"]?.bool ?? false
        stripsRight = value["rstrip"]?.bool ?? false
        isSpecial = value["special"]?.bool ?? false
    }

    /// Whether it is a run of spaces or tabs that plain text consists of: CodeGen's tokenizer
    /// (Phi-1, Phi-1.5, Phi-2) has tokens for indentation.
    var isWhiteSpace: Bool {
        !isSpecial && !stripsLeft && !stripsRight
            && content.utf8.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    }
}
