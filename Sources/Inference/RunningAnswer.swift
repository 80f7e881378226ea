// A sequence with a slot: its tokens, cache, sampler, text and times.

import Checkpoints
import ConstrainedText
import PhiModel
import Tokenizers

/// A running answer. A value except for its cache, which `PhiSession.compute` advances.
struct RunningAnswer {
    /// The result of a sampled token.
    struct Growth {
        /// Text to show; empty while characters or stop strings are incomplete.
        var text: String
        /// Set when the answer is complete.
        var finish: FinishReason?
        /// Whether the pass has also computed the next token.
        var continues = false
    }

    /// The request, with the seed that is used.
    let request: GenerationRequest
    let cache: KeyValueCache
    /// The number of leading tokens that were cached when the answer got its slot.
    let cachedCount: Int
    /// The maximum number of tokens of prompt and answer.
    let tokensMax: Int
    /// The prompt followed by the answer.
    private(set) var tokens: [TokenID]
    /// The finish reason if the given prefix is already a complete answer.
    private(set) var finishOfPrefix: FinishReason?
    /// Whether its pages must not be cached.
    var isForgotten = false
    /// The number of `tokens` that were reported or need not be.
    private var reportedCount: Int
    private(set) var stopwatch: Stopwatch
    private let stopTokens: Set<TokenID>
    private var sampler: Sampler
    /// The tokens that keep the answer's form; nil for an answer without one.
    private let form: ConstrainedAnswer?
    /// Rates sampled tokens; nil if the request does not want that.
    private var rating: TokenRating?
    private var text: AnswerText
    private(set) var thinking: AnswerThinking
    private var guess: Guess
    /// The number of draft tokens in the current pass, or computed and not yet checked.
    private var draftCount = 0
    /// Computed draft tokens, and accepted ones.
    private(set) var draftedCount = 0
    private(set) var acceptedCount = 0

    /// Creates an answer without own tokens. `tokensMax` is the maximum number of tokens of prompt
    /// and answer; the caller has checked that the prompt has fewer. `form` has read the prefix.
    init(
        _ request: GenerationRequest,
        tokensMax: Int,
        model: LoadedModel,
        cache: KeyValueCache,
        form: ConstrainedAnswer? = nil,
        stopwatch: Stopwatch
    ) {
        var request = request
        request.sampling = request.sampling.drawingSeed()
        self.request = request
        tokens = request.prompt + request.answerPrefix
        reportedCount = tokens.count
        self.tokensMax = tokensMax
        self.cache = cache
        cachedCount = cache.count
        self.stopwatch = stopwatch
        stopTokens = model.stopTokens
        sampler = Sampler(request.sampling, samplable: model.samplableTokens)
        self.form = form
        rating = request.topLogprobs.map {
            TokenRating(topCount: $0, samplable: model.samplableTokens)
        }
        text = AnswerText(tokenizer: model.tokenizer, stopStrings: request.stopStrings)
        thinking = AnswerThinking(
            model.tokenizer,
            tokensMax: form == nil ? request.thinkingTokensMax : nil
        )
        guess = Guess(tokensMax: tokensMax)
        sampler.skip(request.answerPrefix)
        readPrefix()
    }

    /// Restores the state of the text after the prefix.
    private mutating func readPrefix() {
        for token in request.answerPrefix { _ = thinking.append(token) }
        text.begin(with: request.answerPrefix.prefix(request.givenCount))
        for token in request.answerPrefix.dropFirst(request.givenCount) {
            if stopTokens.contains(token) || text.append(token).isStopped {
                finishOfPrefix = .stop
                return
            }
        }
        if tokens.count >= tokensMax { finishOfPrefix = .length }
    }

    /// The number of cached prompt tokens.
    var cachedPromptCount: Int { min(cachedCount, promptCount) }

    /// The number of prompt tokens.
    var promptCount: Int { request.prompt.count }

    /// The number of tokens that are read before the first one is sampled.
    var givenCount: Int { promptCount + request.answerPrefix.count }

    /// The number of answer tokens.
    var answerCount: Int { tokens.count - promptCount }

    /// The number of answer tokens that this run sampled.
    var drawnCount: Int { tokens.count - givenCount }

    /// The step for `work`: during decoding, the last token and the drafts after it.
    func step(for work: StepPlan.Work) -> SequenceStep {
        switch work {
        case .prefill(_, let range, let completesPrompt):
            SequenceStep(
                tokens: Array(tokens[range]),
                cache: cache,
                wantsLogits: completesPrompt,
                adapter: request.adapter?.adapter
            )
        case .decode:
            SequenceStep(
                tokens: Array(tokens.suffix(1) + guess.tokens.prefix(draftCount)),
                cache: cache,
                logitsCount: 1 + draftCount,
                adapter: request.adapter?.adapter
            )
        }
    }

    /// Drafts the next tokens. The last allowed token is not drafted, since no token follows it.
    mutating func updateGuess() -> DraftPolicy.Candidate {
        guess.update(tokens, count: tokensMax - tokens.count - 1)
        return DraftPolicy.Candidate(count: guess.tokens.count, acceptance: guess.acceptance)
    }

    /// Adds the first `count` draft tokens to the next pass.
    mutating func draft(_ count: Int) {
        draftCount = count
        draftedCount += count
    }

    /// Samples the next token and adds it to the answer. If it equals the draft computed after the
    /// previous token, the next row has its logits, and the answer continues; otherwise the
    /// computed drafts are discarded.
    /// - Parameters:
    ///   - logits: the logits after the last token; modified.
    ///   - now: the end of the pass.
    /// - Returns: nil if there is no finite logit.
    mutating func grow(
        from logits: UnsafeMutableBufferPointer<Float>,
        at now: ContinuousClock.Instant
    ) -> Growth? {
        // The form and the sampler change them.
        rating?.read(logits)
        form?.mask(logits, room: tokensMax - tokens.count)
        guard let token = next(from: logits) else { return nil }
        tokens.append(token)
        form?.advance(token)
        if !stopTokens.contains(token) { rating?.rate(token) }
        stopwatch.recordToken(at: now, isThinking: thinking.append(token))
        let isDraft = guess.settle(token) && draftCount > 0
        if isDraft {
            acceptedCount += 1
            draftCount -= 1
        }
        var growth = growth(by: token)
        growth.continues = isDraft && growth.finish == nil
        if !growth.continues {
            guess.clear()
            draftCount = 0
            // The keys and values of the last token are computed in the next pass.
            cache.truncate(to: tokens.count - 1)
        }
        return growth
    }

    /// Samples a token, unless one is forced; a forced one uses a random number, too.
    private mutating func next(from logits: UnsafeMutableBufferPointer<Float>) -> TokenID? {
        guard let forced = thinking.forcedToken else {
            return sampler.sample(in: logits, recent: tokens[...])
        }
        sampler.skip(CollectionOfOne(forced))
        return forced
    }

    /// The text and finish reason after the answer's last token.
    private mutating func growth(by token: TokenID) -> Growth {
        if stopTokens.contains(token) { return Growth(text: text.finish(), finish: .stop) }
        let (piece, isStopped) = text.append(token)
        if isStopped { return Growth(text: piece, finish: .stop) }
        if tokens.count >= tokensMax {
            return Growth(text: piece + text.finish(), finish: .length)
        }
        return Growth(text: piece, finish: nil)
    }

    /// Returns the tokens sampled since the last call, and marks them as reported.
    mutating func takeUnreported() -> (tokens: [TokenID], sampled: [SampledToken]) {
        defer { reportedCount = tokens.count }
        return (Array(tokens[reportedCount...]), rating?.take() ?? [])
    }

    /// Returns the text that is held back, when the answer is ended from outside.
    mutating func heldBackText() -> String { text.finish() }
}
