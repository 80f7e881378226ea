// A run of this node: its state, and the data that its actions need.

import ChatCore
import ChatProtocol
import ChatStore
import ConstrainedText
import Inference

/// One run, from its claim to its committed end.
package final class ActiveRun {
    /// The claim.
    let claim: ClaimedRun
    /// The state of the run.
    private(set) var state = Run()
    /// When it was selected from the queue.
    let chosenAt: ContinuousClock.Instant
    /// When the accepted stop request arrived.
    private(set) var stopArrival: ContinuousClock.Instant?
    /// Its input and its prompt, if they were known when its turn was stored; nil once it is prepared,
    /// since they may be long.
    private var known: Known?
    /// The text so far, including that of earlier runs.
    var text = ""
    /// Whether the model may make the conversation's title.
    var awaitsTitle = false
    /// The model whose engine it is prepared for, or has.
    var model: String?
    /// The input for an engine; set once the prompt is built, until an engine has accepted it.
    var prepared: Prepared?
    /// The generation, once an engine has accepted it.
    private(set) var generation: Generation?
    /// The progress of its engine; nil before it has started.
    var progress: RunProgress?
    /// The tokens of the text with their probabilities, if the request wants them, including those
    /// of earlier runs.
    private(set) var answerTokens: [AnswerToken] = []
    /// The text that is not known to be in the database.
    var unsaved = CheckpointBuffer(from: 0)
    /// The tokens used so far.
    var cost = RunCost()
    /// The outcome, once it is known.
    var outcome: RunOutcome?
    /// How fast its engine was stopped, if it was.
    var stopReport: StopReport?
    /// Its spans; nil if it is not traced.
    var trace: RunTrace?

    init(
        claim: ClaimedRun,
        chosenAt: ContinuousClock.Instant,
        known: Known? = nil
    ) {
        self.claim = claim
        self.chosenAt = chosenAt
        self.known = known
    }

    /// What was known of a run when its turn was stored.
    struct Known {
        let input: RunInput
        /// The prompt, if it was built to count its tokens.
        let counted: CountedPrompt?
    }

    /// Returns what was known when its turn was stored, once.
    func takeKnown() -> Known? {
        defer { known = nil }
        return known
    }

    /// The input for an engine.
    struct Prepared {
        let prompt: Prompt
        let sampling: SamplingParameters
        let topLogprobs: Int?
        let constraint: AnswerConstraint?
        /// Maximum tokens of the thinking part; nil for no limit.
        let thinkingTokensMax: Int?
        /// Texts that end the answer.
        let stopStrings: [String]
        /// The maximum length of the answer, in tokens, if a budget shortened it.
        let shortenedTo: Int?
        let start: Start
        let model: ModelEngine
    }

    /// A generation that an engine executes.
    struct Generation {
        /// The prompt's receipt.
        let receipt: PromptReceipt
        let engine: any InferenceEngine
        /// The engine's number for it.
        let request: UInt64
        /// The model that samples its tokens.
        let identity: String
        /// The maximum length of the answer, in tokens, if a budget shortened it.
        let shortenedTo: Int?
        /// The tokens of the model; nil for a remote engine.
        let vocabulary: ModelEngine.Vocabulary?
        let start: Start
    }

    /// What a run starts from: the text of earlier runs, or the initial text.
    struct Start {
        /// The text.
        var text = ""
        /// The tokens of the text.
        var tokens: [Int32] = []
        /// The tokens with their probabilities, if the request wants them.
        var answerTokens: [AnswerToken] = []
        /// How many of them the answer had before its first run.
        var bodyTokenCount = 0
        /// Whether there was an earlier run, of which readers may have more than this text.
        var isTakeover = false
        /// Up to which byte readers' texts are valid, whichever run they are from; nil if there was
        /// no earlier run.
        var base: Int?
        /// Number of the answer's runs, including this one.
        var tries = 1

        /// Tokens that earlier runs generated.
        var resumedTokenCount: Int { tokens.count - bodyTokenCount }
    }

    // MARK: State

    /// Applies an event that happened at `time`.
    /// - Returns: the actions to execute, in order.
    func handle(_ event: Run.Event, at time: ContinuousClock.Instant) -> [Run.Action] {
        let wasStopped = state.stop != nil
        let actions = state.handle(event)
        if !wasStopped, state.stop != nil { stopArrival = time }
        return actions
    }

    /// Notes that an engine has accepted it.
    func generate(_ generation: Generation) {
        self.generation = generation
        text = generation.start.text
        answerTokens = generation.start.answerTokens
        unsaved = CheckpointBuffer(from: text.utf8.count)
    }

    /// Stops the generation within one step of the engine, which confirms it with an event.
    func cancelGeneration() {
        if let generation { generation.engine.cancel(generation.request) }
    }

    /// Appends to the text.
    func append(_ text: String, _ tokens: [Int32], _ sampled: [SampledToken]) {
        var rated: [AnswerToken] = []
        if !sampled.isEmpty, let vocabulary = generation?.vocabulary {
            let at = self.text.utf8.count
            rated = sampled.map { AnswerToken($0, at: at, vocabulary) }
            answerTokens += rated
        }
        self.text += text
        unsaved.append(text, tokens, rated)
    }

    // MARK: Outcomes

    /// The outcome of a run that no engine had: stopped with the text so far.
    var stoppedOutcome: RunOutcome {
        RunOutcome(text: stoppedText, state: .stopped, finish: .stopped)
    }

    /// The outcome of a run that its engine has finished.
    func outcome(of completion: Completion) -> RunOutcome {
        let start = generation?.start ?? Start()
        let isStopped = state.stop != nil
        let (final, finish): (MessageState, ChatProtocol.FinishReason) =
            switch completion.finish {
            case _ where isStopped: (.stopped, .stopped)
            case .stop: (.complete, .stop)
            case .length, .deadline: (.complete, .length)
            case .stopped: (.stopped, .stopped)
            }
        var usage = cost.usage(
            completion,
            given: start.bodyTokenCount,
            kept: start.resumedTokenCount
        )
        usage.shortenedTo = generation?.shortenedTo
        return RunOutcome(
            text: isStopped ? stoppedText : text,
            state: final,
            finish: finish,
            usage: usage,
            receipt: receipt(completion.receipt, completion.remote),
            answerTokens: isStopped ? [] : answerTokens
        )
    }

    /// The outcome of a failed run.
    func outcome(failing error: WireError) -> RunOutcome {
        let start = generation?.start ?? Start()
        return RunOutcome(
            text: text,
            state: .failed,
            finish: .error,
            usage: cost.usageOfFailure(
                given: start.bodyTokenCount,
                kept: start.resumedTokenCount
            ),
            error: error,
            receipt: receipt(nil, nil)
        )
    }

    /// The text up to the byte that the user who stopped it had read.
    private var stoppedText: String { state.stop?.seen.map { text.prefix(utf8Count: $0) } ?? text }

    /// Nil if no engine had it.
    private func receipt(_ run: RunReceipt?, _ remote: RemoteRecord?) -> AnswerReceipt? {
        guard let generation else { return nil }
        let start = generation.start
        return AnswerReceipt(
            prompt: generation.receipt,
            run: run,
            remote: remote,
            attempts: start.tries,
            shortenedTo: generation.shortenedTo,
            continuedAt: start.text.isEmpty && start.tokens.isEmpty
                ? nil
                : AnswerReceipt.Continuation(
                    bytes: start.text.utf8.count,
                    tokens: start.tokens.count
                )
        )
    }
}

extension AnswerToken {
    /// A sampled token.
    fileprivate init(_ sampled: SampledToken, at: Int, _ vocabulary: ModelEngine.Vocabulary) {
        func rated(_ token: RatedToken) -> Rated {
            Rated(bytes: vocabulary.bytes(of: token.token), logprob: token.logprob)
        }
        self.init(at: at, token: rated(sampled.token), top: sampled.top.map(rated))
    }
}

extension Duration {
    /// The duration in milliseconds.
    var milliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) * 1e-15
    }
}
