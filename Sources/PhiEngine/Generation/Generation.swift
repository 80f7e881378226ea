// The pieces of an answer that comes as a stream.

/// A piece of an answer, or its figures, which come last.
public enum Generation: Sendable, Hashable {
    /// More of the text: whole characters, never empty.
    case chunk(String)
    /// The answer is complete.
    case info(GenerateCompletionInfo)

    /// The text, where this is one.
    public var chunk: String? {
        if case .chunk(let text) = self { text } else { nil }
    }

    /// The figures, where this is them.
    public var info: GenerateCompletionInfo? {
        if case .info(let info) = self { info } else { nil }
    }
}
