// Summarizes messages that were left out of prompts. Messages without a summary are left out, and
// the receipts say so.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Inference

/// Makes a summary of the oldest messages of a branch.
struct SummaryTask: IdleTask {
    static let name = "summary"
    /// Maximum length of a summary, in bytes.
    private static let byteCountMax = 65_536

    let conversation: ConversationID
    /// The last message to summarize.
    let through: MessageID

    /// A summary of the messages that a prompt left out; nil if none is needed.
    /// - Parameters:
    ///   - prompt: the prompt of an answer.
    ///   - conversation: its conversation.
    ///   - limit: the maximum length of that prompt, in tokens.
    init?(of prompt: Prompt, in conversation: ConversationID, limit: Int) {
        guard prompt.receipt.policy == .summarize, let leftOut = prompt.receipt.leftOut,
            let through = Self.lastToSummarize(prompt, limit: limit) ?? leftOut.last
        else { return nil }
        self.conversation = conversation
        self.through = through
    }

    /// The last message to summarize. More is summarized than was left out, so that the next turns
    /// fit without another summary: the rest uses half of the limit, and has at least the newest
    /// turn.
    private static func lastToSummarize(_ prompt: Prompt, limit: Int) -> MessageID? {
        let entries = Array(zip(prompt.messages, prompt.receipt.entries))
        let turns = entries.indices.filter {
            entries[$0].1.message != nil && entries[$0].0.role == "user"
        }
        var kept = 0
        var end = entries.count
        var start: Int?
        for turn in turns.reversed() {
            kept += entries[turn..<end].reduce(0) { $0 + $1.1.tokens }
            guard start == nil || kept <= limit / 2 else { break }
            (start, end) = (turn, turn)
        }
        guard let start, start > 0 else { return nil }
        return entries[start - 1].1.message
    }

    func prepare(on dispatcher: RunDispatcher) async throws -> IdleGeneration? {
        guard let pool = dispatcher.pool else { return nil }
        let messageLimit = pool.messageLimit
        guard
            let input = try await dispatcher.store.context.summaryInput(
                of: conversation,
                through: through,
                messageLimit: messageLimit,
                byteLimit: messageLimit * 192
            )
        else { return nil }
        // Nothing is loaded for it: the next answer adds it again.
        guard !pool.board.isWaiting(for: input.model) else { return nil }
        let model = try pool.engine(for: input.model)
        let builder = model.promptBuilder
        let plan = try await dispatcher.promptWorkers.run {
            builder.buildSummary(after: input.previous, of: input.messages)
        }
        guard let plan else { return nil }
        return IdleGeneration(model: model, prompt: plan.prompt) { text, completion in
            try await store(text, completion, of: plan, in: dispatcher.store)
        }
    }

    private func store(
        _ text: String,
        _ completion: Completion,
        of plan: SummaryPlan,
        in store: Store
    ) async throws -> (any IdleTask)? {
        let text = text.prefix(utf8Count: Self.byteCountMax).trimmingWhitespace
        // If the model generated no text, it is not asked again before the next turn.
        guard !text.isEmpty else { return nil }
        try await store.context.addSummary(
            text,
            id: .make(),
            of: conversation,
            through: plan.through,
            receipt: AnswerReceipt(prompt: plan.prompt.receipt, run: completion.receipt),
            tokens: completion.computedTokens
        )
        // Many messages need several summaries, each continuing the one before.
        return plan.through == through ? nil : self
    }
}

extension String {
    /// The text without white space at its ends.
    fileprivate var trimmingWhitespace: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }),
            let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
