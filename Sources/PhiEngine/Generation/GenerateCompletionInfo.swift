// Statistics of an answer.

public import Foundation

/// Statistics of an answer.
public struct GenerateCompletionInfo: Sendable, Hashable {
    /// Tokens of the prompt.
    public let promptTokenCount: Int
    /// How many of them a conversation had already computed in its earlier turns.
    public let cachedPromptTokenCount: Int
    /// Tokens of the answer, without the stop token.
    public let generationTokenCount: Int
    /// Seconds to the first token, including prompt processing.
    public let promptTime: TimeInterval
    /// Seconds from the first token to the end.
    public let generateTime: TimeInterval
    /// Why the answer ended.
    public let stopReason: GenerateStopReason

    /// Statistics with these values.
    public init(
        promptTokenCount: Int,
        cachedPromptTokenCount: Int = 0,
        generationTokenCount: Int,
        promptTime: TimeInterval,
        generationTime: TimeInterval,
        stopReason: GenerateStopReason = .stop
    ) {
        self.promptTokenCount = promptTokenCount
        self.cachedPromptTokenCount = cachedPromptTokenCount
        self.generationTokenCount = generationTokenCount
        self.promptTime = promptTime
        generateTime = generationTime
        self.stopReason = stopReason
    }

    /// Computed prompt tokens per second, up to the first token.
    public var promptTokensPerSecond: Double {
        promptTime > 0 ? Double(promptTokenCount - cachedPromptTokenCount) / promptTime : 0
    }

    /// Answer tokens per second, after the first token.
    public var tokensPerSecond: Double {
        generateTime > 0 ? Double(generationTokenCount) / generateTime : 0
    }

    /// Two lines for a terminal.
    public func summary() -> String {
        """
        Prompt:     \(promptTokenCount) tokens, \(Self.rounded(promptTokensPerSecond)) tokens/s
        Generation: \(generationTokenCount) tokens, \(Self.rounded(tokensPerSecond)) tokens/s, \
        \(Self.rounded(generateTime)) s
        """
    }

    private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
