// One sequence that has a slot: its tokens, its cache, its sampler, its text and its stopwatch.

import Checkpoints
import PhiModel
import Tokenizers

/// An answer that grows. A value but for its cache, which `PhiSession.compute` advances.
struct RunningAnswer {
    /// What a sampled token led to.
    struct Growth {
        /// May be shown; empty while characters or stop strings are incomplete.
        var text: String
        /// Set when the answer is complete.
        var finish: FinishReason?
        /// Whether the pass has computed what follows the token, too.
        var goesOn = false
    }

    /// What was asked for, with the seed that is used.
    let request: GenerationRequest
    let cache: KeyValueCache
    /// Tokens, from the prompt's first on, that were in the cache when the answer got its slot.
    let cachedCount: Int
    /// The most that prompt and answer may have together.
    let tokensMax: Int
    /// The prompt and then the answer.
    private(set) var tokens: [TokenID]
    /// Why an answer is complete that was given from its beginning to its end.
    private(set) var finishOfPrefix: FinishReason?
    /// Whether nothing is to be kept of what it reads.
    var isForgotten = false
    /// How many of `tokens` were told, or are not to be.
    private var toldCount: Int
    private(set) var stopwatch: Stopwatch
    private let stopTokens: Set<TokenID>
    private var sampler: Sampler
    private var text: AnswerText
    private var guess: Guess
    /// How many tokens of `guess` the pass under way computes, or has computed and nobody has looked
    /// at yet.
    private var draftCount = 0
    /// Drafts that were computed, and those of them that were right.
    private(set) var draftedCount = 0
    private(set) var acceptedCount = 0

    /// An answer without a token of its own. `tokensMax` is the most that prompt and answer may have
    /// together; the caller has checked that the prompt has fewer.
    init(
        _ request: GenerationRequest,
        tokensMax: Int,
        model: LoadedModel,
        cache: KeyValueCache,
        stopwatch: Stopwatch
    ) {
        var request = request
        request.sampling = request.sampling.drawingSeed()
        self.request = request
        tokens = request.prompt + request.answerPrefix
        toldCount = tokens.count
        self.tokensMax = tokensMax
        self.cache = cache
        cachedCount = cache.count
        self.stopwatch = stopwatch
        stopTokens = model.stopTokens
        sampler = Sampler(request.sampling, samplable: model.samplableTokens)
        text = AnswerText(tokenizer: model.tokenizer, stopStrings: request.stopStrings)
        guess = Guess(tokensMax: tokensMax)
        sampler.skip(request.answerPrefix.count)
        readPrefix()
    }

    /// Brings the text to where the run that drew the prefix had it.
    private mutating func readPrefix() {
        for token in request.answerPrefix {
            if stopTokens.contains(token) || text.append(token).isStopped {
                finishOfPrefix = .stop
                return
            }
        }
        if tokens.count >= tokensMax { finishOfPrefix = .length }
    }

    /// Tokens of the prompt that need not be computed.
    var cachedPromptCount: Int { min(cachedCount, promptCount) }

    /// Tokens of the prompt.
    var promptCount: Int { request.prompt.count }

    /// Tokens that are read before the first one is drawn.
    var givenCount: Int { promptCount + request.answerPrefix.count }

    /// Tokens of the answer so far.
    var answerCount: Int { tokens.count - promptCount }

    /// Tokens of the answer that this run drew.
    var drawnCount: Int { tokens.count - givenCount }

    /// What `work` computes: where the answer grows, its last token and the drafts behind it.
    func step(for work: StepPlan.Work) -> SequenceStep {
        switch work {
        case .prefill(_, let range, let completesPrompt):
            SequenceStep(
                tokens: Array(tokens[range]),
                cache: cache,
                wantsLogits: completesPrompt
            )
        case .decode:
            SequenceStep(
                tokens: Array(tokens.suffix(1) + guess.tokens.prefix(draftCount)),
                cache: cache,
                logitsCount: 1 + draftCount
            )
        }
    }

    /// Guesses how the answer goes on. Of the tokens that it may still have the last one is not
    /// guessed: nothing follows it.
    mutating func updateGuess() -> DraftPolicy.Candidate {
        guess.update(tokens, count: tokensMax - tokens.count - 1)
        return DraftPolicy.Candidate(count: guess.tokens.count, acceptance: guess.acceptance)
    }

    /// Has the first `count` guessed tokens computed in the next pass.
    mutating func draft(_ count: Int) {
        draftCount = count
        draftedCount += count
    }

    /// Samples the next token and adds it to the answer. Where it is the draft that was computed
    /// behind the token before, the next row's logits are those that it leads to, and the answer
    /// goes on; else whatever was computed behind it is forgotten.
    /// - Parameters:
    ///   - logits: those after the last token; used as scratch memory.
    ///   - now: when the pass was over.
    /// - Returns: nil where the logits hold no number to choose.
    mutating func grow(
        from logits: UnsafeMutableBufferPointer<Float>,
        at now: ContinuousClock.Instant
    ) -> Growth? {
        guard let token = sampler.sample(in: logits, recent: tokens[...]) else { return nil }
        tokens.append(token)
        stopwatch.tokenCame(at: now)
        let isDraft = guess.settle(token) && draftCount > 0
        if isDraft {
            acceptedCount += 1
            draftCount -= 1
        }
        var growth = growth(by: token)
        growth.goesOn = isDraft && growth.finish == nil
        if !growth.goesOn {
            guess.clear()
            draftCount = 0
            // The last token's keys and values come with the next pass.
            cache.truncate(to: tokens.count - 1)
        }
        return growth
    }

    /// What the answer's last token means for its text and its end.
    private mutating func growth(by token: TokenID) -> Growth {
        if stopTokens.contains(token) { return Growth(text: text.finish(), finish: .stop) }
        let (piece, isStopped) = text.append(token)
        if isStopped { return Growth(text: piece, finish: .stop) }
        if tokens.count >= tokensMax {
            return Growth(text: piece + text.finish(), finish: .length)
        }
        return Growth(text: piece, finish: nil)
    }

    /// The tokens that were drawn since the last call; from now on they count as told.
    mutating func takeUntold() -> [TokenID] {
        defer { toldCount = tokens.count }
        return Array(tokens[toldCount...])
    }

    /// The text that is still held back, when the answer ends from outside.
    mutating func heldBackText() -> String { text.finish() }
}
