// The elements of a streamed answer.

/// A chunk of an answer, a call, or its statistics, which come last.
public enum Generation: Sendable, Hashable {
    /// More text: whole characters, never empty.
    case chunk(String)
    /// The answer is complete.
    case info(GenerateCompletionInfo)
    /// The model calls a function that the prompt describes.
    case toolCall(ToolCall)

    /// The text, if this is a chunk.
    public var chunk: String? {
        if case .chunk(let text) = self { text } else { nil }
    }

    /// The statistics, if this is `.info`.
    public var info: GenerateCompletionInfo? {
        if case .info(let info) = self { info } else { nil }
    }

    /// The call, if this is one.
    public var toolCall: ToolCall? {
        if case .toolCall(let call) = self { call } else { nil }
    }
}
