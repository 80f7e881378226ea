// A complete answer.

public import Foundation

/// An answer: its tokens, its text, its figures.
public struct GenerateResult: Sendable {
    /// The prompt.
    public let inputText: LMInput.Text
    /// The answer's tokens, without the stop token.
    public let tokens: [Int]
    /// The answer's text.
    public let output: String
    /// The answer's statistics.
    public let info: GenerateCompletionInfo

    /// The answer's tokens, under the name since release 3.
    public var tokenIds: [Int] { tokens }
    /// The prompt's tokens.
    public var promptTokenIds: [Int] { inputText.tokens.asArray(Int.self) }
    /// Tokens of the prompt.
    public var promptTokenCount: Int { info.promptTokenCount }
    /// Tokens of the answer.
    public var generationTokenCount: Int { info.generationTokenCount }
    /// Seconds to the first token, including prompt processing.
    public var promptTime: TimeInterval { info.promptTime }
    /// Seconds from the first token to the end.
    public var generateTime: TimeInterval { info.generateTime }
    /// Prompt tokens per second, up to the first token.
    public var promptTokensPerSecond: Double { info.promptTokensPerSecond }
    /// Answer tokens per second, after the first token.
    public var tokensPerSecond: Double { info.tokensPerSecond }

    /// Two lines for a terminal.
    public func summary() -> String { info.summary() }
}
