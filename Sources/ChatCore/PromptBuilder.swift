// From a branch of messages to what the model is given: system prompt first, then as many of the
// newest turns as fit, whole. Nothing is cut inside a turn, and nothing is cut in silence.

public import ChatProtocol

/// A message on its way into a prompt.
public struct PromptMessage: Sendable, Hashable {
    /// Which message; nil for the system prompt.
    public var id: MessageID?
    /// `system`, `user` or `assistant`.
    public var role: String
    /// What it says.
    public var text: String

    /// Puts a message together.
    public init(id: MessageID?, role: String, text: String) {
        self.id = id
        self.role = role
        self.text = text
    }
}

/// Turns messages into tokens, scaffold and contents apart, as a model's chat template says.
public protocol PromptEncoding: Sendable {
    /// The tokens of `messages` followed by the opening of the answer.
    /// - Returns: all tokens, and how many of them each message takes.
    func encode(_ messages: [PromptMessage]) -> (tokens: [Int32], messageTokenCounts: [Int])
}

/// What a model was given for one answer.
public struct PromptReceipt: Codable, Sendable, Hashable {
    /// A message that the model was given.
    public struct Entry: Codable, Sendable, Hashable {
        /// Which; nil for the system prompt.
        public var message: MessageID?
        /// Its tokens, its part of the scaffold included.
        public var tokens: Int
    }

    /// What the model was given, in order.
    public var entries: [Entry]
    /// All tokens, the opening of the answer included.
    public var promptTokens: Int
    /// How many older messages of the branch were left out.
    public var droppedMessages: Int
    /// The version of this form.
    public var version = 1

    enum CodingKeys: String, CodingKey {
        case entries, version
        case promptTokens = "prompt_tokens"
        case droppedMessages = "dropped_messages"
    }
}

/// A prompt with its receipt.
public struct Prompt: Sendable, Hashable {
    /// What the model is given, as messages: for engines that tokenise themselves.
    public var messages: [PromptMessage]
    /// The same as tokens.
    public var tokens: [Int32]
    /// What they are made of.
    public var receipt: PromptReceipt
    /// How many tokens the answer may have.
    public var maxNewTokens: Int
}

/// Why there is no prompt.
public enum PromptError: Error, Sendable, Hashable {
    /// The system prompt and the newest turn alone are too long. Shorten one of them, or use a model
    /// with a longer context.
    case newestTurnTooLong(tokens: Int, limit: Int)
}

/// Builds prompts for a model.
public struct PromptBuilder: Sendable {
    private let encoding: any PromptEncoding
    private let contextLength: Int

    /// - Parameters:
    ///   - encoding: the model's tokenizer and template.
    ///   - contextLength: the longest prompt and answer together, in tokens.
    public init(encoding: any PromptEncoding, contextLength: Int) {
        self.encoding = encoding
        self.contextLength = contextLength
    }

    /// Builds the prompt for the next answer.
    /// - Parameters:
    ///   - systemPrompt: empty for none; never cut.
    ///   - branch: the newest messages of the branch, oldest first, the question last.
    ///   - olderMessageCount: how many messages of the branch stand before `branch`.
    ///   - maxNewTokens: the longest answer that is wanted.
    /// - Returns: the prompt with its receipt.
    /// - Throws: `PromptError` where even the newest turn does not fit.
    public func build(
        systemPrompt: String,
        branch: [PromptMessage],
        olderMessageCount: Int = 0,
        maxNewTokens: Int
    ) throws(PromptError) -> Prompt {
        // A long answer's share never pushes out more than half of what can be remembered.
        let reserved = min(maxNewTokens, contextLength / 2)
        let limit = contextLength - reserved
        let system =
            systemPrompt.isEmpty ? [] : [PromptMessage(id: nil, role: "system", text: systemPrompt)]
        // An answer that ended before its first word says nothing to the model.
        let spoken = branch.filter { !($0.role == "assistant" && $0.text.isEmpty) }

        let whole = encoding.encode(system + spoken)
        var first = 0
        var tokenCount = whole.tokens.count
        while tokenCount > limit {
            guard let next = nextTurn(in: spoken, after: first) else {
                throw .newestTurnTooLong(tokens: tokenCount, limit: limit)
            }
            for index in first..<next {
                tokenCount -= whole.messageTokenCounts[system.count + index]
            }
            first = next
        }
        let kept = system + spoken[first...]
        let encoded = first == 0 ? whole : encoding.encode(kept)
        return Prompt(
            messages: Array(kept),
            tokens: encoded.tokens,
            receipt: PromptReceipt(
                entries: zip(kept, encoded.messageTokenCounts).map {
                    PromptReceipt.Entry(message: $0.id, tokens: $1)
                },
                promptTokens: encoded.tokens.count,
                droppedMessages: olderMessageCount + first
            ),
            maxNewTokens: min(maxNewTokens, contextLength - encoded.tokens.count)
        )
    }

    /// Where the turn after the one that begins at `first` begins: at the next user's message. Nil
    /// where the turn at `first` is the newest. A question whose answer failed is a turn too: were it
    /// one with the next question, a text too long for the context would fail that one as well.
    private func nextTurn(in messages: [PromptMessage], after first: Int) -> Int? {
        messages.indices.dropFirst(first + 1).first { messages[$0].role == "user" }
    }
}
