// Normalization of text before it is split and merged. Phi-3 adds a "▁" at the start, and replaces
// spaces by "▁".

import JSONText

/// The steps of a file's `normalizer`, in order.
struct Normalizer: Sendable {
    /// One step, on UTF-8.
    enum Step: Sendable {
        /// Prepends bytes to a text that is not empty.
        case prepend([UInt8])
        /// Replaces each occurrence of `pattern`, from the left.
        case replace(pattern: [UInt8], content: [UInt8])
    }

    private(set) var steps: [Step] = []

    /// No steps.
    init() {}

    /// Replaces spaces by "▁", and before that adds one at the start if `prepends`.
    init(wordStarts prepends: Bool) {
        if prepends { steps.append(.prepend(MergeTable.wordStart)) }
        steps.append(.replace(pattern: [UInt8(ascii: " ")], content: MergeTable.wordStart))
    }

    /// Reads `normalizer`: null, `Prepend`, `Replace` of a string, or a `Sequence` of them.
    init(_ value: JSONValue?, path: String) throws(TokenizerError) {
        guard let value, !value.isNull else { return }
        for component in try ComponentList.flatten(value, key: "normalizers", path: path) {
            steps.append(try Self.step(component, path: path))
        }
    }

    /// `text` after all steps.
    func normalize(_ text: [UInt8]) -> [UInt8] {
        var text = text
        for step in steps {
            switch step {
            case .prepend(let prefix):
                if !text.isEmpty { text.insert(contentsOf: prefix, at: 0) }
            case .replace(let pattern, let content):
                text = Self.replace(pattern, content, in: text)
            }
        }
        return text
    }

    /// `text` with each `pattern` replaced by `content`, from the left.
    static func replace(_ pattern: [UInt8], _ content: [UInt8], in text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.count + text.count / 4)
        var offset = 0
        while offset < text.count {
            if text[offset...].starts(with: pattern) {
                result.append(contentsOf: content)
                offset += pattern.count
            } else {
                result.append(text[offset])
                offset += 1
            }
        }
        return result
    }

    private static func step(
        _ component: JSONValue,
        path: String
    ) throws(TokenizerError) -> Step {
        switch component["type"]?.string {
        case "Prepend":
            guard let prefix = component["prepend"]?.string else {
                throw .malformed(path: path, reason: "the normalizer Prepend has no text")
            }
            return .prepend(Array(prefix.utf8))
        case "Replace":
            let (pattern, content) = try ComponentList.replacement(component, path: path)
            return .replace(pattern: pattern, content: content)
        case let type:
            throw .unsupported(path: path, part: "the normalizer", found: type ?? "without a type")
        }
    }
}

/// Helpers for the components of a tokenizer file.
enum ComponentList {
    /// The members of a `Sequence`, or `value` itself if it is a single component.
    static func flatten(
        _ value: JSONValue,
        key: String,
        path: String
    ) throws(TokenizerError) -> [JSONValue] {
        guard value["type"]?.string == "Sequence" else { return [value] }
        guard let list = value[key]?.array else {
            throw .malformed(path: path, reason: "a Sequence has no \(key)")
        }
        return list
    }

    /// Pattern and content of a `Replace`, whose pattern must be a plain string.
    static func replacement(
        _ component: JSONValue,
        path: String
    ) throws(TokenizerError) -> (pattern: [UInt8], content: [UInt8]) {
        guard let pattern = component["pattern"]?["String"]?.string, !pattern.isEmpty,
            let content = component["content"]?.string
        else {
            throw .unsupported(path: path, part: "Replace of", found: "anything but a string")
        }
        return (Array(pattern.utf8), Array(content.utf8))
    }
}
