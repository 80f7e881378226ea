// Stores checkpoints of all runs of a node together, a few times a second, so that a run whose node
// dies is resumed from its checkpoint.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Logging

/// Stores the checkpoints of a node's runs.
final class RunCheckpoints {
    /// Time between attempts after a failure.
    private static let retryPause = Duration.seconds(1)
    /// Maximum time for the last checkpoints of a shutdown.
    private static let lastSpanMax = Duration.seconds(2)

    private unowned let dispatcher: RunDispatcher
    private let loop: EventLoop
    private let configuration: RunDispatcher.Configuration
    /// When the next checkpoints are due; nil if there is no new text.
    private var due: ContinuousClock.Instant?
    private var isStoring = false
    /// Whether checkpoints became due while others were being stored.
    private var isWanted = false

    init(_ dispatcher: RunDispatcher) {
        self.dispatcher = dispatcher
        loop = dispatcher.loop
        configuration = dispatcher.configuration
    }

    /// Notes that a run has text without a checkpoint.
    func storeSoon(_ conversation: ConversationID) {
        let isShared = dispatcher.peers.isWatchedElsewhere(conversation)
        store(
            after: isShared
                ? configuration.sharedCheckpointInterval : configuration.checkpointInterval
        )
    }

    private func store(after pause: Duration) {
        let due = loop.now + pause
        if let earlier = self.due, earlier <= due { return }
        self.due = due
        _ = loop.schedule(after: pause) { [weak self] in
            guard let self, self.due == due else { return }
            self.due = nil
            loop.spawn { await self.storeAll() }
        }
    }

    /// Stores the new text of all runs; one statement at a time.
    private func storeAll() async {
        guard !isStoring else {
            isWanted = true
            return
        }
        isStoring = true
        repeat {
            isWanted = false
            await storeOnce()
        } while isWanted
        isStoring = false
    }

    private func storeOnce() async {
        var parts: [AnswerPart] = []
        var engines: [MessageID: String] = [:]
        var taken: [(run: ActiveRun, count: Int)] = []
        for run in dispatcher.runs.all where run.mayStoreCheckpoint {
            let own = run.unsaved.take()
            parts += own.map { run.claim.part($0) }
            engines[run.claim.message] = run.generation?.identity
            taken.append((run, own.count))
        }
        guard !parts.isEmpty else { return }
        do {
            let held = try await dispatcher.store.runs.storeCheckpoints(
                parts,
                engines: engines,
                node: configuration.node
            )
            // A run that has ended meanwhile is stored as a whole.
            for (run, count) in taken where run.state.phase != .storing {
                guard held.messages.contains(run.claim.message) else {
                    dispatcher.leases.lose(run)
                    continue
                }
                run.unsaved.confirm(count)
                guard run.state.isGenerating else { continue }
                dispatcher.releaseQuarantine(of: run.claim.message)
            }
            dispatcher.apply(held.stops)
            let stored = parts.filter { held.messages.contains($0.message) }
            dispatcher.peers.stored(in: Set(stored.map(\.conversation)))
        } catch {
            // The text is in memory; the pool has logged that the database is unavailable.
            dispatcher.logger.debug(
                "writing checkpoints failed",
                metadata: ["error": "\(error)"]
            )
            store(after: Self.retryPause)
        }
    }

    /// Stores the last checkpoints before other nodes resume the runs.
    func storeLast() async {
        await storeAll()
        let deadline = loop.now + Self.lastSpanMax
        while isStoring, loop.now < deadline {
            do { try await loop.sleep(for: .milliseconds(5)) } catch { return }
        }
    }
}

extension ActiveRun {
    /// Whether a run has text of an engine that may be resumed elsewhere: also if the run was
    /// released, but not if its end is being stored.
    fileprivate var mayStoreCheckpoint: Bool {
        state.phase != .storing && generation != nil && !unsaved.isEmpty
    }
}

extension ClaimedRun {
    /// A part of the text, as the database stores it.
    fileprivate func part(_ part: CheckpointBuffer.Part) -> AnswerPart {
        AnswerPart(
            conversation: conversation,
            message: message,
            run: run,
            at: part.at,
            text: part.text,
            tokens: part.tokens,
            answerTokens: part.answerTokens
        )
    }
}
