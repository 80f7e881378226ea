// A complete answer.

public import Foundation

/// An answer: its tokens, its text, its figures.
public struct GenerateResult: Sendable {
    /// The prompt.
    public let inputText: LMInput.Text
    /// The answer's tokens; the one that ended the turn is not among them.
    public let tokens: [Int]
    /// The answer's text.
    public let output: String
    /// What the answer took.
    public let info: GenerateCompletionInfo

    /// Tokens of the prompt.
    public var promptTokenCount: Int { info.promptTokenCount }
    /// Tokens of the answer.
    public var generationTokenCount: Int { info.generationTokenCount }
    /// Seconds until the first token was there, the prompt's reading included.
    public var promptTime: TimeInterval { info.promptTime }
    /// Seconds from then to the end.
    public var generateTime: TimeInterval { info.generateTime }
    /// Tokens of the prompt by the time to the first token.
    public var promptTokensPerSecond: Double { info.promptTokensPerSecond }
    /// Tokens of the answer by the time after the first one.
    public var tokensPerSecond: Double { info.tokensPerSecond }

    /// Two lines for a terminal.
    public func summary() -> String { info.summary() }
}
