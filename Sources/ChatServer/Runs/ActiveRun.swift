// A run of this node, with all that belongs to it: its state, and what executing its actions needs.

import ChatCore
import ChatProtocol
import ChatStore
import Inference

/// One run, from its claim to its committed end.
package final class ActiveRun {
    /// What was claimed.
    let claim: ClaimedRun
    /// How far it is.
    private(set) var state = Run()
    /// When it was chosen from the queue.
    let chosenAt: ContinuousClock.Instant
    /// When the stop request that counts arrived.
    private(set) var stopArrival: ContinuousClock.Instant?
    /// The text so far, with what earlier runs generated.
    var text = ""
    /// What an engine will be given; set while the prompt is ready and no engine has it.
    var prepared: Prepared?
    /// What an engine has.
    private(set) var generation: Generation?
    /// How far its engine is; nil before it has started.
    var progress: RunProgress?
    /// What is not known to be in the database.
    var unsaved = CheckpointBuffer(from: 0)
    /// What it has cost so far.
    var cost = RunCost()
    /// How it ended, when that is known.
    var outcome: RunOutcome?
    /// How fast its engine was stopped, when it was.
    var stopReport: StopReport?

    init(claim: ClaimedRun, chosenAt: ContinuousClock.Instant) {
        self.claim = claim
        self.chosenAt = chosenAt
    }

    /// What an engine is to be given.
    struct Prepared {
        let prompt: Prompt
        let sampling: SamplingParameters
        /// Texts that end the answer.
        let stopStrings: [String]
        /// The maximum length of the answer, in tokens, if a budget shortened it.
        let shortenedTo: Int?
        let start: Start
        let model: ModelEngine
    }

    /// A generation that an engine executes.
    struct Generation {
        /// What the model was given.
        let receipt: PromptReceipt
        let engine: any InferenceEngine
        /// The number that the engine knows it by.
        let request: UInt64
        /// The model that samples its tokens.
        let identity: String
        /// The maximum length of the answer, in tokens, if a budget shortened it.
        let shortenedTo: Int?
        let start: Start
    }

    /// What a run starts from.
    struct Start {
        /// The text that there is.
        var text = ""
        /// The tokens of that text.
        var tokens: [Int32] = []
        /// How many of them the answer had before its first run.
        var bodyTokenCount = 0
        /// Whether an earlier run began, of which readers may have more than this text.
        var isTakeover = false
        /// Up to which byte readers' texts are right whichever run they are of; nil where there was no
        /// earlier run.
        var base: Int?
        /// How often a run of the answer began, this one included.
        var tries = 1

        /// Tokens that earlier runs generated.
        var resumedTokenCount: Int { tokens.count - bodyTokenCount }
    }

    // MARK: State

    /// Takes an event that happened at `time`.
    /// - Returns: what to do now, in this order.
    func handle(_ event: Run.Event, at time: ContinuousClock.Instant) -> [Run.Action] {
        let wasStopped = state.stop != nil
        let actions = state.handle(event)
        if !wasStopped, state.stop != nil { stopArrival = time }
        return actions
    }

    /// An engine has it.
    func generate(_ generation: Generation) {
        self.generation = generation
        text = generation.start.text
        unsaved = CheckpointBuffer(from: text.utf8.count)
    }

    /// Ends the generation within one step of the engine, which confirms it with an event.
    func cancelGeneration() {
        if let generation { generation.engine.cancel(generation.request) }
    }

    /// Adds to the text.
    func append(_ text: String, _ tokens: [Int32]) {
        self.text += text
        unsaved.append(text, tokens)
    }

    // MARK: Outcomes

    /// How it ends, when no engine had it: stopped with the text that there is.
    var stoppedOutcome: RunOutcome {
        RunOutcome(text: stoppedText, state: .stopped, finish: .stopped)
    }

    /// How it ends, when its engine is done.
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
            receipt: receipt(completion.receipt)
        )
    }

    /// How it ends, when it failed.
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
            receipt: receipt(nil)
        )
    }

    /// The text, up to where the reader had got who stopped it.
    private var stoppedText: String { state.stop?.seen.map { text.prefix(utf8Count: $0) } ?? text }

    /// Nil where no engine had it.
    private func receipt(_ run: RunReceipt?) -> AnswerReceipt? {
        guard let generation else { return nil }
        let start = generation.start
        return AnswerReceipt(
            prompt: generation.receipt,
            run: run,
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

extension Duration {
    /// The duration in milliseconds.
    var milliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) * 1e-15
    }
}
