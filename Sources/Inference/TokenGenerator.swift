// One answer as tokens, on the calling thread: for programs that want each token in their hand and
// need neither queue nor events. Text is the caller's business.

public import Checkpoints
public import PhiModel

/// Draws the tokens of one answer, one at a time. Owned by one thread at a time, like its session.
public struct TokenGenerator {
    /// Why no token follows; nil while one may.
    public private(set) var finish: FinishReason?

    private let session: PhiSession
    private let cache: KeyValueCache
    private let stopTokens: Set<TokenID>
    private let tokensMax: Int
    private let promptCount: Int
    /// The prompt and then the answer; the cache has all but the last ones.
    private var tokens: [TokenID]
    private var sampler: Sampler

    /// An answer to `prompt` of which nothing is computed yet.
    /// - Parameters:
    ///   - model: whose tokens `prompt` is made of.
    ///   - session: of the same model; its largest pass is the part of the prompt read at once.
    ///   - prompt: what the model reads, template scaffolding included.
    ///   - sampling: how tokens are drawn.
    ///   - maxNewTokens: the answer ends with `.length` after as many, or when the context is full.
    ///   - extraStopTokens: end the answer, as the model's own stop tokens do.
    /// - Throws: `.promptTooLong`, `.invalidRequest`, `.outOfMemory`.
    public init(
        model: LoadedModel,
        session: PhiSession,
        prompt: [TokenID],
        sampling: SamplingParameters,
        maxNewTokens: Int,
        extraStopTokens: Set<TokenID> = []
    ) throws(EngineError) {
        precondition(session.model === model.model, "a session of another model")
        try Self.check(prompt, maxNewTokens: maxNewTokens, model: model)
        let contextLength = model.contextLength(limit: .max)
        tokensMax = prompt.count + min(maxNewTokens, contextLength - prompt.count)
        do throws(ForwardError) {
            cache = try model.model.makeCache(capacity: tokensMax)
        } catch {
            throw EngineError(error)
        }
        self.session = session
        stopTokens = model.stopTokens.union(extraStopTokens)
        promptCount = prompt.count
        tokens = prompt
        sampler = Sampler(sampling, samplable: model.samplableTokens)
    }

    /// Checks what `init` is given, for callers that make the generator later.
    /// - Throws: `.promptTooLong`, `.invalidRequest`.
    public static func check(
        _ prompt: [TokenID],
        maxNewTokens: Int,
        model: LoadedModel
    ) throws(EngineError) {
        try GenerationRequest(id: 0, prompt: prompt, maxNewTokens: maxNewTokens).validate(
            contextLength: model.contextLength(limit: .max),
            vocabularyCount: model.vocabularyCount
        )
    }

    /// Whether the prompt is read but for the part that the next token comes with.
    public var isPromptRead: Bool { tokens.count - cache.count <= session.tokenCountMax }

    /// Reads the next part of the prompt, for callers that look up between parts; `next` reads what
    /// is left.
    /// - Throws: `.modelBroken`.
    public mutating func readPromptPart() throws(EngineError) {
        guard !isPromptRead else { return }
        _ = try forward(session.tokenCountMax, wantsLogits: false)
    }

    /// The next token of the answer.
    /// - Returns: nil where the answer is complete; `finish` says why. The token that ends a turn is
    ///   not part of it.
    /// - Throws: `.modelBroken`.
    public mutating func next() throws(EngineError) -> TokenID? {
        guard finish == nil else { return nil }
        guard tokens.count < tokensMax else {
            finish = .length
            return nil
        }
        while !isPromptRead { try readPromptPart() }
        let logits = try forward(tokens.count - cache.count, wantsLogits: true)
        guard let token = sampler.sample(in: logits.row(0, of: 0), recent: tokens[...]) else {
            throw .modelBroken(reason: "it computed no finite number")
        }
        if stopTokens.contains(token) {
            finish = .stop
            return nil
        }
        tokens.append(token)
        return token
    }

    /// Computes the next `count` tokens that the cache does not have.
    private func forward(_ count: Int, wantsLogits: Bool) throws(EngineError) -> PassLogits {
        let step = SequenceStep(
            tokens: Array(tokens[cache.count...].prefix(count)),
            cache: cache,
            wantsLogits: wantsLogits
        )
        do throws(ForwardError) {
            return try session.compute([step])
        } catch {
            throw EngineError(error)
        }
    }
}
