// What an engine is asked for: one answer to one prompt.

public import Checkpoints
public import PhiModel
public import Tokenizers

/// One answer to be generated. The caller chooses `id` and sees it again in every event.
public struct GenerationRequest: Sendable {
    /// Names the request in events and in `cancel`; unique among the engine's unfinished requests.
    public var id: UInt64
    /// The tokens that the model reads, template scaffolding included.
    public var prompt: [TokenID]
    /// The same prompt as messages, for engines elsewhere that apply a template of their own. The
    /// engine of this process reads `prompt` alone.
    public var messages: [ChatMessage]
    /// The answer's first tokens, where an earlier run got that far: they are read like the prompt,
    /// nothing of their text is told, and the answer goes on as if this run had drawn them. With a
    /// seed, or greedily, it ends as the earlier run would have.
    public var answerPrefix: [TokenID]
    /// How tokens are drawn.
    public var sampling: SamplingParameters
    /// The answer ends with `.length` after this many tokens, those of `answerPrefix` included, or
    /// when the context is full.
    public var maxNewTokens: Int
    /// The answer ends before the first of these texts; none of it is shown.
    public var stopStrings: [String]
    /// The answer ends with `.deadline` at the first step after this instant.
    public var deadline: ContinuousClock.Instant?
    /// Whose earlier requests may have read the beginning of the prompt already: what one request
    /// of a scope has read, another one need not. Scopes share nothing with each other, as how fast
    /// a prompt is read tells what was read before; nil for a request that shares nothing at all.
    public var cacheScope: String?
    /// How many of the prompt's first tokens are a prompt that was published to all who may ask: what
    /// one scope has read of them, others need not, in whole pages. That such a prompt is in use is
    /// all that can be told from how fast it is read.
    public var publishedCount: Int
    /// How this run gets LongRoPE's factor set; nil for the engine's own rule.
    public var ropeRule: RopeRule?

    /// A request for one answer.
    public init(
        id: UInt64,
        prompt: [TokenID],
        messages: [ChatMessage] = [],
        answerPrefix: [TokenID] = [],
        sampling: SamplingParameters = .greedy,
        maxNewTokens: Int,
        stopStrings: [String] = [],
        deadline: ContinuousClock.Instant? = nil,
        cacheScope: String? = nil,
        publishedCount: Int = 0,
        ropeRule: RopeRule? = nil
    ) {
        self.id = id
        self.prompt = prompt
        self.messages = messages
        self.answerPrefix = answerPrefix
        self.sampling = sampling
        self.maxNewTokens = maxNewTokens
        self.stopStrings = stopStrings
        self.deadline = deadline
        self.cacheScope = cacheScope
        self.publishedCount = publishedCount
        self.ropeRule = ropeRule
    }

    /// The most stop strings of a request.
    public static let stopStringsMax = 16
    /// The most UTF-8 bytes of a stop string.
    public static let stopStringBytesMax = 256

    /// Checks all that can be checked before the request waits for a slot.
    /// - Parameters:
    ///   - contextLength: positions that prompt and answer may take together.
    ///   - vocabularyCount: rows of the model's embedding.
    /// - Throws: `.promptTooLong` or `.invalidRequest`.
    func validate(contextLength: Int, vocabularyCount: Int) throws(EngineError) {
        guard !prompt.isEmpty else { throw .invalidRequest("the prompt is empty") }
        guard prompt.count < contextLength else {
            throw .promptTooLong(promptTokens: prompt.count, contextLength: contextLength)
        }
        guard prompt.allSatisfy({ 0 <= $0 && Int($0) < vocabularyCount }) else {
            throw .invalidRequest("the prompt has tokens that this model does not know")
        }
        guard (0...prompt.count).contains(publishedCount) else {
            throw .invalidRequest("more of the prompt is published than there is")
        }
        guard maxNewTokens > 0 else {
            throw .invalidRequest("the answer must be allowed at least one token")
        }
        guard answerPrefix.allSatisfy({ 0 <= $0 && Int($0) < vocabularyCount }) else {
            throw .invalidRequest("the answer's beginning has tokens that this model does not know")
        }
        guard answerPrefix.count <= min(maxNewTokens, contextLength - prompt.count) else {
            throw .invalidRequest("the answer's beginning is longer than the answer may be")
        }
        guard stopStrings.count <= Self.stopStringsMax else {
            throw .invalidRequest("more than \(Self.stopStringsMax) stop strings")
        }
        guard
            stopStrings.allSatisfy({ !$0.isEmpty && $0.utf8.count <= Self.stopStringBytesMax })
        else {
            throw .invalidRequest(
                "a stop string must have from 1 to \(Self.stopStringBytesMax) bytes"
            )
        }
    }
}
