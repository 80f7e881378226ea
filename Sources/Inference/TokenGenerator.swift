// Generates one answer token by token on the calling thread, for programs that need neither queue
// nor events. The caller decodes the text.

public import Checkpoints
public import PhiModel

/// Samples the tokens of one answer, one at a time. Owned by one thread at a time, like its
/// session.
public struct TokenGenerator {
    /// The finish reason; nil while tokens may follow.
    public private(set) var finish: FinishReason?

    private let session: PhiSession
    /// The cache of the sequence: keys and values of the first tokens of prompt and answer.
    public let cache: KeyValueCache
    private let stopTokens: Set<TokenID>
    private let tokensMax: Int
    private let promptCount: Int
    /// The prompt followed by the answer; the cache has all but the last ones.
    public private(set) var tokens: [TokenID]
    private var sampler: Sampler
    private let adapter: Adapter?

    /// Creates an answer to `prompt` without computing anything yet.
    /// - Parameters:
    ///   - model: the model.
    ///   - session: a session of the model; its maximum pass is the chunk size for the prompt.
    ///   - prompt: the prompt, including the template's tokens.
    ///   - sampling: the sampling parameters.
    ///   - maxNewTokens: the answer ends with `.length` after this number of tokens, or when the
    ///     context is full.
    ///   - extraStopTokens: end the answer, as the model's own stop tokens do.
    ///   - adapter: an adapter of this model; nil for none.
    ///   - cache: a cache with room for prompt and answer that has fewer tokens than the prompt, all of
    ///     them its first ones; nil for a new one.
    /// - Throws: `.promptTooLong`, `.invalidRequest`, `.outOfMemory`.
    public init(
        model: LoadedModel,
        session: PhiSession,
        prompt: [TokenID],
        sampling: SamplingParameters,
        maxNewTokens: Int,
        extraStopTokens: Set<TokenID> = [],
        adapter: LoadedAdapter? = nil,
        cache: KeyValueCache? = nil
    ) throws(EngineError) {
        precondition(session.model === model.model, "a session of another model")
        try Self.check(prompt, maxNewTokens: maxNewTokens, model: model, adapter: adapter)
        tokensMax = Self.tokensMax(prompt, maxNewTokens: maxNewTokens, model: model)
        if let cache {
            self.cache = cache
        } else {
            self.cache = try Self.makeCache(tokensMax: tokensMax, capacity: tokensMax, model: model)
        }
        precondition(self.cache.capacity >= tokensMax, "a cache without room for the answer")
        precondition(self.cache.count < prompt.count, "a cache that has the whole prompt")
        self.session = session
        self.adapter = adapter?.adapter
        stopTokens = model.stopTokens.union(extraStopTokens)
        promptCount = prompt.count
        tokens = prompt
        sampler = Sampler(sampling, samplable: model.samplableTokens)
    }

    /// Validates the arguments of `init`, for callers that create the generator later.
    /// - Throws: `.promptTooLong`, `.invalidRequest`.
    public static func check(
        _ prompt: [TokenID],
        maxNewTokens: Int,
        model: LoadedModel,
        adapter: LoadedAdapter? = nil
    ) throws(EngineError) {
        var request = GenerationRequest(id: 0, prompt: prompt, maxNewTokens: maxNewTokens)
        request.adapter = adapter
        try request.validate(
            contextLength: model.contextLength(limit: .max),
            vocabularyCount: model.vocabularyCount,
            places: model.model.adapterPlaces
        )
    }

    /// Maximum number of tokens of prompt and answer together, for arguments that `check` accepts.
    public static func tokensMax(
        _ prompt: [TokenID],
        maxNewTokens: Int,
        model: LoadedModel
    ) -> Int {
        prompt.count + min(maxNewTokens, model.contextLength(limit: .max) - prompt.count)
    }

    /// A cache for generators: of `tokensMax` tokens or more, and for answers in which the rotation of
    /// keys is that of `tokensMax`.
    /// - Throws: `.outOfMemory`.
    public static func makeCache(
        tokensMax: Int,
        capacity: Int,
        model: LoadedModel
    ) throws(EngineError) -> KeyValueCache {
        do throws(ForwardError) {
            return try model.model.makeCache(
                capacity: capacity,
                ropeFactors: model.model.ropeFactors(forLength: tokensMax)
            )
        } catch {
            throw EngineError(error)
        }
    }

    /// Whether the prompt is read except for the part that is computed with the next token.
    public var isPromptRead: Bool { tokens.count - cache.count <= session.tokenCountMax }

    /// Reads the next chunk of the prompt, for callers that do other work between chunks; `next`
    /// reads the rest.
    /// - Throws: `.modelBroken`.
    public mutating func readPromptPart() throws(EngineError) {
        guard !isPromptRead else { return }
        _ = try forward(session.tokenCountMax, wantsLogits: false)
    }

    /// The next token of the answer.
    /// - Returns: the token; nil if the answer is complete; `finish` has the reason. The token that
    ///   ends a turn is not returned.
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

    /// Computes the next `count` tokens that are not in the cache.
    private func forward(_ count: Int, wantsLogits: Bool) throws(EngineError) -> PassLogits {
        let step = SequenceStep(
            tokens: Array(tokens[cache.count...].prefix(count)),
            cache: cache,
            wantsLogits: wantsLogits,
            adapter: adapter
        )
        do throws(ForwardError) {
            return try session.compute([step])
        } catch {
            throw EngineError(error)
        }
    }
}
