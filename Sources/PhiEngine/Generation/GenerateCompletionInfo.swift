// The figures of an answer.

public import Foundation

/// What an answer took.
public struct GenerateCompletionInfo: Sendable, Hashable {
    /// Tokens of the prompt.
    public let promptTokenCount: Int
    /// Tokens of the answer; the one that ended the turn is not among them.
    public let generationTokenCount: Int
    /// Seconds until the first token was there, the prompt's reading included.
    public let promptTime: TimeInterval
    /// Seconds from then to the end.
    public let generateTime: TimeInterval
    /// Why the answer ended.
    public let stopReason: GenerateStopReason

    /// The figures of an answer.
    public init(
        promptTokenCount: Int,
        generationTokenCount: Int,
        promptTime: TimeInterval,
        generationTime: TimeInterval,
        stopReason: GenerateStopReason = .stop
    ) {
        self.promptTokenCount = promptTokenCount
        self.generationTokenCount = generationTokenCount
        self.promptTime = promptTime
        generateTime = generationTime
        self.stopReason = stopReason
    }

    /// Tokens of the prompt by the time to the first token.
    public var promptTokensPerSecond: Double {
        promptTime > 0 ? Double(promptTokenCount) / promptTime : 0
    }

    /// Tokens of the answer by the time after the first one.
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
