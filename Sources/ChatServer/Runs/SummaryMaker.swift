// Summarizes messages that were left out of prompts, with the engine that answers, while it is
// idle: one summary at a time, started only if no run is queued and a slot is free, and cancelled
// as soon as a run needs the slot. A cancelled summary starts again later. Messages without a
// summary are left out, and the receipts say so.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Inference
import Logging

/// Generates the summaries of a node.
final class SummaryMaker {
    /// Maximum conversations that wait for a summary; others are added again by their next answer.
    private static let pendingMax = 1000
    /// Maximum length of a summary, in bytes.
    private static let byteCountMax = 65_536

    /// A branch whose oldest messages are to be summarized.
    private struct Branch {
        let conversation: ConversationID
        /// The last message to summarize.
        let through: MessageID
    }

    /// The summary that is being generated.
    private struct Making {
        let branch: Branch
        let plan: SummaryPlan
        let engine: any InferenceEngine
        let request: UInt64
        var text = ""
    }

    private unowned let dispatcher: RunDispatcher
    private var pending: [Branch] = []
    private var making: Making?
    /// Whether a prompt is being built, or a summary is being stored.
    private var isBusy = false

    init(_ dispatcher: RunDispatcher) {
        self.dispatcher = dispatcher
    }

    /// Whether a summary is being generated.
    var isMaking: Bool { making != nil }

    /// Notes the messages that a prompt left out.
    /// - Parameters:
    ///   - prompt: the prompt of an answer.
    ///   - conversation: its conversation.
    ///   - limit: the maximum length of that prompt, in tokens.
    func note(_ prompt: Prompt, in conversation: ConversationID, limit: Int) {
        guard prompt.receipt.policy == .summarize, let leftOut = prompt.receipt.leftOut,
            let through = Self.lastToSummarize(prompt, limit: limit) ?? leftOut.last
        else { return }
        pending.removeAll { $0.conversation == conversation }
        guard pending.count < Self.pendingMax else { return }
        pending.append(Branch(conversation: conversation, through: through))
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

    // MARK: Scheduling

    /// Cancels the summary if an answer needs its slot.
    func makeRoom() {
        guard let making, dispatcher.freeSlotCount < 0 else { return }
        making.engine.cancel(making.request)
    }

    /// Starts a summary if there is no other work.
    func startIfIdle() {
        guard !isBusy, making == nil, !pending.isEmpty, canStart else { return }
        isBusy = true
        let branch = pending.removeFirst()
        dispatcher.loop.spawn { [self] in
            do { try await start(branch) } catch {
                dispatcher.logger.warning(
                    "preparing a summary failed",
                    metadata: ["error": "\(error)"]
                )
            }
            isBusy = false
        }
    }

    private var canStart: Bool { !dispatcher.isDraining && dispatcher.freeSlotCount > 0 }

    private func start(_ branch: Branch) async throws {
        guard let pool = dispatcher.pool else { return }
        let messageLimit = pool.messageLimit
        guard
            let input = try await dispatcher.store.context.summaryInput(
                of: branch.conversation,
                through: branch.through,
                messageLimit: messageLimit,
                byteLimit: messageLimit * 192
            )
        else { return }
        let model = try pool.engine(for: input.model)
        let builder = model.promptBuilder
        let plan = try await dispatcher.promptWorkers.run {
            builder.buildSummary(after: input.previous, of: input.messages)
        }
        guard let plan else { return }
        // An answer may have been queued meanwhile.
        guard canStart else {
            pending.insert(branch, at: 0)
            return
        }
        let request = try pool.submit(plan.prompt, sampling: .greedy, to: model)
        making = Making(branch: branch, plan: plan, engine: model.engine, request: request)
    }

    // MARK: Generating

    /// Applies an engine's event.
    /// - Returns: whether it was about a summary.
    func take(_ event: TokenEvent) -> Bool {
        guard let making, making.request == event.id else { return false }
        switch event {
        case .started, .progress: break
        case .text(_, let text, _):
            self.making?.text += text
        case .finished(_, let completion):
            self.making = nil
            if completion.finish == .stopped {
                pending.insert(making.branch, at: 0)
            } else {
                isBusy = true
                dispatcher.loop.spawn { [self] in
                    await store(making, completion)
                    isBusy = false
                    dispatcher.wake()
                }
            }
        case .failed(_, let error):
            self.making = nil
            dispatcher.logger.error("generating a summary failed", metadata: ["error": "\(error)"])
        }
        return true
    }

    private func store(_ making: Making, _ completion: Completion) async {
        let text = making.text.prefix(utf8Count: Self.byteCountMax).trimmingWhitespace
        // If the model generated no text, it is not asked again before the next turn.
        guard !text.isEmpty, !dispatcher.isReleasing else { return }
        do {
            try await dispatcher.store.context.addSummary(
                text,
                id: .make(),
                of: making.branch.conversation,
                through: making.plan.through,
                receipt: AnswerReceipt(
                    prompt: making.plan.prompt.receipt,
                    run: completion.receipt
                ),
                tokens: completion.promptTokens - completion.cachedTokens
                    + completion.completionTokens
            )
            // Many messages need several summaries, each continuing the one before.
            if making.plan.through != making.branch.through { pending.insert(making.branch, at: 0) }
        } catch {
            dispatcher.logger.warning("storing the summary failed", metadata: ["error": "\(error)"])
        }
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
