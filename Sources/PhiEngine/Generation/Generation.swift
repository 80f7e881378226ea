// The elements of a streamed answer.

/// A chunk of an answer, or its statistics, which come last.
public enum Generation: Sendable, Hashable {
    /// More text: whole characters, never empty.
    case chunk(String)
    /// The answer is complete.
    case info(GenerateCompletionInfo)

    /// The text, if this is a chunk.
    public var chunk: String? {
        if case .chunk(let text) = self { text } else { nil }
    }

    /// The statistics, if this is `.info`.
    public var info: GenerateCompletionInfo? {
        if case .info(let info) = self { info } else { nil }
    }
}
