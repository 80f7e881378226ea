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
    /// The text so far.
    var text = ""
    /// Set where somebody stopped it: the byte up to which its reader had got, if that was told.
    var stop: Stop?

    /// Ends the making within one step; the end is confirmed by an event.
    func cancel() { engine.cancel(request) }

    /// A wish to end an answer early.
    struct Stop {
        let seen: Int?
        /// When the request came.
        let askedAt: ContinuousClock.Instant
    }

    /// How it ended, where the engine says that it is done.
    func outcome(_ completion: Completion) -> RunOutcome {
        let usage = Usage(
            promptTokens: completion.promptTokens,
            cachedTokens: completion.cachedTokens,
            completionTokens: completion.completionTokens,
            timeToFirstTokenMilliseconds: completion.timeToFirstToken.map(\.milliseconds) ?? 0,
            tokensPerSecond: completion.tokensPerSecond ?? 0
        )
        let receipt = AnswerReceipt(prompt: receipt, run: completion.receipt)
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
            error: error,
            receipt: AnswerReceipt(prompt: receipt, run: nil)
        )
    }
}

extension Duration {
    /// The duration in milliseconds.
    var milliseconds: Double {
        Double(components.seconds) * 1000 + Double(components.attoseconds) * 1e-15
    }
}
