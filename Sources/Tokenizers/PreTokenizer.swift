// Reads `pre_tokenizer`: the pattern by which text is split into words before merging, if any.

import JSONText

/// The pre-tokenizer.
enum PreTokenizer: Sendable {
    /// None: a piece of text is one word of characters (Phi-3).
    case none
    /// Splits by a pattern into words of bytes (Phi-4).
    case byteLevel(WordPattern)

    /// Reads null, `ByteLevel` with GPT-2's pattern, or a `Sequence` of `Split` with a known
    /// pattern and `ByteLevel` without one.
    init(_ value: JSONValue?, path: String) throws(TokenizerError) {
        guard let value, !value.isNull else {
            self = .none
            return
        }
        let components = try ComponentList.flatten(value, key: "pretokenizers", path: path)
        guard let last = components.last, last["type"]?.string == "ByteLevel" else {
            let types = components.map { $0["type"]?.string ?? "?" }.joined(separator: ", ")
            throw .unsupported(path: path, part: "the pre_tokenizer", found: types)
        }
        if last["add_prefix_space"]?.bool == true {
            throw .unsupported(path: path, part: "ByteLevel", found: "with add_prefix_space")
        }
        let usesOwnPattern = last["use_regex"]?.bool ?? true
        switch (components.count, usesOwnPattern) {
        case (1, true):
            self = .byteLevel(.gpt2)
        case (2, false):
            self = .byteLevel(try Self.pattern(components[0], path: path))
        default:
            throw .unsupported(
                path: path,
                part: "the pre_tokenizer ByteLevel",
                found: "with \(usesOwnPattern ? 2 : 0) patterns or more components"
            )
        }
    }

    /// The pattern of a `Split` whose matches become words.
    private static func pattern(
        _ split: JSONValue,
        path: String
    ) throws(TokenizerError) -> WordPattern {
        guard split["type"]?.string == "Split" else {
            let type = split["type"]?.string ?? "without a type"
            throw .unsupported(path: path, part: "the pre_tokenizer", found: type)
        }
        // The patterns match everywhere, so there is no text between matches, and both behaviors
        // are equivalent.
        let behavior = split["behavior"]?.string ?? ""
        let isInverted = split["invert"]?.bool ?? false
        guard (behavior == "Removed" && isInverted) || (behavior == "Isolated" && !isInverted)
        else {
            throw .unsupported(path: path, part: "Split with behavior", found: behavior)
        }
        guard let expression = split["pattern"]?["Regex"]?.string,
            let pattern = WordPattern(expression: expression)
        else {
            let found = split["pattern"]?["Regex"]?.string ?? "that is no Regex"
            throw .unsupported(path: path, part: "the word pattern", found: found)
        }
        return pattern
    }
}
