// An answer that this node makes.

import ChatCore
import ChatProtocol
import ChatStore
import Inference

/// One run, from its claim to its stored end.
struct ActiveRun {
    /// What was claimed.
    let claim: ClaimedRun
    /// What the model was given.
    let receipt: PromptReceipt
    /// The engine that makes it.
    let engine: any InferenceEngine
    /// The number that the engine knows it by.
    let request: UInt64
    /// The model that draws its tokens.
    let identity: String
    /// What it goes on from.
    let beginning: Beginning
    /// The longest that the answer may be, in tokens, if a budget shortened it.
    let shortenedTo: Int?
    /// The text so far.
    var text: String
    /// What of it is not known to be in the database.
    var unkept: UnkeptText
    /// What it took of the engine so far.
    var cost = RunCost()
    /// Set where somebody stopped it: the byte up to which its reader had got, if that was told.
    var stop: Stop?

    init(
        claim: ClaimedRun,
        receipt: PromptReceipt,
        model: ModelEngine,
        request: UInt64,
        beginning: Beginning,
        shortenedTo: Int? = nil
    ) {
        self.claim = claim
        self.receipt = receipt
        engine = model.engine
        identity = model.identity
        self.request = request
        self.beginning = beginning
        self.shortenedTo = shortenedTo
        text = beginning.text
        unkept = UnkeptText(from: beginning.text.utf8.count)
    }

    /// Ends the making within one step; the end is confirmed by an event.
    func cancel() { engine.cancel(request) }

    /// What a run goes on from.
    struct Beginning {
        /// The text that there is.
        var text = ""
        /// The tokens that lead on from it.
        var tokens: [Int32] = []
        /// How many of them the answer had before its first run.
        var bodyTokenCount = 0
        /// Whether an earlier run was begun, of which readers may have more than this text.
        var isTakeover = false
        /// Up to which byte readers' texts are right whichever run they are of; nil where there was no
        /// earlier run.
        var base: Int?
        /// How often the answer was tried, this time included.
        var tries = 1
    }

    /// A wish to end an answer early.
    struct Stop {
        let seen: Int?
        /// When the request came.
        let askedAt: ContinuousClock.Instant
    }

    /// How it ended, where the engine says that it is done.
    func outcome(_ completion: Completion) -> RunOutcome {
        var usage = cost.usage(completion, given: beginning.bodyTokenCount, kept: keptTokenCount)
        usage.shortenedTo = shortenedTo
        let receipt = receipt(completion.receipt)
        if let stop {
            return RunOutcome(
                text: stop.seen.map { text.prefix(utf8Count: $0) } ?? text,
                state: .stopped,
                finish: .stopped,
                usage: usage,
                receipt: receipt
            )
        }
        let state: MessageState
        let finish: ChatProtocol.FinishReason
        switch completion.finish {
        case .stop: (state, finish) = (.complete, .stop)
        case .length, .deadline: (state, finish) = (.complete, .length)
        case .stopped: (state, finish) = (.stopped, .stopped)
        }
        return RunOutcome(
            text: text,
            state: state,
            finish: finish,
            usage: usage,
            receipt: receipt
        )
    }

    /// How it ended, where the engine failed.
    func outcome(_ error: WireError) -> RunOutcome {
        RunOutcome(
            text: text,
            state: .failed,
            finish: .error,
            usage: cost.usageOfFailure(given: beginning.bodyTokenCount, kept: keptTokenCount),
            error: error,
            receipt: receipt(nil)
        )
    }

    /// Tokens that earlier runs drew, and this one goes on from.
    private var keptTokenCount: Int { beginning.tokens.count - beginning.bodyTokenCount }

    private func receipt(_ run: RunReceipt?) -> AnswerReceipt {
        AnswerReceipt(
            prompt: receipt,
            run: run,
            attempts: beginning.tries,
            shortenedTo: shortenedTo,
            continuedAt: beginning.text.isEmpty && beginning.tokens.isEmpty
                ? nil
                : AnswerReceipt.Continuation(
                    bytes: beginning.text.utf8.count,
                    tokens: beginning.tokens.count
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
