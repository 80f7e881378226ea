// Requests to an engine.

public import Checkpoints
public import ConstrainedText
public import PhiModel
public import Tokenizers

/// A request for one answer. The caller chooses `id`, which is in every event.
public struct GenerationRequest: Sendable {
    /// Identifies the request in events and in `cancel`; unique among unfinished requests.
    public var id: UInt64
    /// The tokens of the prompt, including the template's.
    public var prompt: [TokenID]
    /// The same prompt as messages, for remote engines that apply their own template. The engine of
    /// this process uses only `prompt`.
    public var messages: [ChatMessage]
    /// The first tokens of the answer, from an earlier run: they are read like the prompt, their
    /// text is not returned, and the answer continues as if this run had sampled them. With a seed,
    /// or greedily, it ends as the earlier run would have.
    public var answerPrefix: [TokenID]
    /// The text of `answerPrefix`, for remote engines.
    public var answerText: String
    /// The number of tokens of `answerPrefix` that the answer was given as its beginning instead of
    /// sampled: stop strings are not searched in their text.
    public var givenCount: Int
    /// The sampling parameters.
    public var sampling: SamplingParameters
    /// Wants the probabilities of the answer's tokens and of this number of the likeliest ones at
    /// their places; nil for none. Remote engines do not tell them.
    public var topLogprobs: Int?
    /// The answer ends with `.length` after this number of tokens, including those of
    /// `answerPrefix`, or when the context is full.
    public var maxNewTokens: Int
    /// The answer ends before the first of these texts, which are never shown.
    public var stopStrings: [String]
    /// The form that the answer must have. It has it at its end, also with `.length`.
    public var constraint: AnswerConstraint?
    /// The answer ends with `.deadline` at the first step after this instant.
    public var deadline: ContinuousClock.Instant?
    /// The cache scope: requests of a scope reuse each other's cached prefixes. Scopes share
    /// nothing, since the speed of reading a prompt reveals what was read before; nil for a request
    /// that shares nothing.
    public var cacheScope: String?
    /// The number of the prompt's first tokens that are a published prompt: all scopes share their
    /// cached pages, in whole pages. The speed of reading reveals only that such a prompt is in
    /// use.
    public var publishedCount: Int
    /// The rule for LongRoPE's factor set; nil for the engine's rule.
    public var ropeRule: RopeRule?
    /// Maximum number of tokens of the answer's thinking part, which the engine then closes; nil for no
    /// limit. An answer with a form has no such part.
    public var thinkingTokensMax: Int?
    /// The adapter that changes the model for this answer; nil for none. Requests with different ones
    /// are computed together. Remote engines have none.
    public var adapter: LoadedAdapter?
    /// Header fields that a remote engine gets with the request, of the trace that it is a part of
    /// (W3C Trace Context); empty for none.
    public var traceFields: [String: String] = [:]

    /// Creates a request.
    public init(
        id: UInt64,
        prompt: [TokenID],
        messages: [ChatMessage] = [],
        answerPrefix: [TokenID] = [],
        answerText: String = "",
        givenCount: Int = 0,
        sampling: SamplingParameters = .greedy,
        topLogprobs: Int? = nil,
        maxNewTokens: Int,
        stopStrings: [String] = [],
        constraint: AnswerConstraint? = nil,
        deadline: ContinuousClock.Instant? = nil,
        cacheScope: String? = nil,
        publishedCount: Int = 0,
        ropeRule: RopeRule? = nil
    ) {
        self.id = id
        self.prompt = prompt
        self.messages = messages
        self.answerPrefix = answerPrefix
        self.answerText = answerText
        self.givenCount = givenCount
        self.sampling = sampling
        self.topLogprobs = topLogprobs
        self.maxNewTokens = maxNewTokens
        self.stopStrings = stopStrings
        self.constraint = constraint
        self.deadline = deadline
        self.cacheScope = cacheScope
        self.publishedCount = publishedCount
        self.ropeRule = ropeRule
    }

    /// Maximum number of stop strings of a request.
    public static let stopStringsMax = 16
    /// Maximum size of a stop string in UTF-8 bytes.
    public static let stopStringBytesMax = 256

    /// Validates what can be validated before the request waits for a slot.
    /// - Parameters:
    ///   - contextLength: maximum number of tokens of prompt and answer together.
    ///   - vocabularyCount: rows of the model's embedding.
    ///   - places: the layers of the model that adapters can change.
    /// - Throws: `.promptTooLong` or `.invalidRequest`.
    func validate(
        contextLength: Int,
        vocabularyCount: Int,
        places: AdapterPlaces
    ) throws(EngineError) {
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
        guard (0...answerPrefix.count).contains(givenCount) else {
            throw .invalidRequest("more of the answer is given than there is")
        }
        guard thinkingTokensMax ?? 0 >= 0 else {
            throw .invalidRequest("a thinking part cannot have less than no tokens")
        }
        guard adapter?.adapter.fits(places) ?? true else {
            throw .invalidRequest("its adapter was loaded for another model")
        }
        guard constraint == nil || stopStrings.isEmpty else {
            throw .invalidRequest("a stop string could end an answer before it has its form")
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
