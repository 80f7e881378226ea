// A periodic job: once a minute it deletes expired conversations and those of deleted accounts, and
// purges conversations deleted long enough ago, in small batches, so that other work is not
// delayed.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Inference
import Logging

/// Deletes and purges due conversations, on a server's loop.
final class LifeCycleJob {
    /// The job's interval.
    private static let period: Duration = .seconds(60)
    /// The pause between batches, which leaves database time for other work.
    private static let pause: Duration = .milliseconds(50)
    /// Rows per batch, and maximum conversations deleted per interval.
    private static let batch = 1000
    private static let deletionsMax = 100

    private let server: Server
    private var isStopped = false
    /// The time up to which deletions were read, by the database's clock; nil for never.
    private var lookedAt: Int64?

    init(_ server: Server) {
        self.server = server
    }

    /// Starts the job; it runs until `stop`.
    func start() {
        repeatInPeriods { [self] in try await run() }
        lookedAt = notedTime
        // A separate loop: the other work may take long or fail, and must not delay this.
        repeatInPeriods { [self] in try await forgetPages() }
    }

    private func repeatInPeriods(_ body: @escaping () async throws -> Void) {
        server.loop.spawn { [self] in
            while !isStopped {
                do {
                    try await body()
                } catch {
                    server.logger.warning(
                        "life cycle job failed; will retry",
                        metadata: ["error": "\(error)"]
                    )
                }
                do { try await server.loop.sleep(for: Self.period) } catch { return }
            }
        }
    }

    /// Stops after the current batch.
    func stop() { isStopped = true }

    private func run() async throws {
        let store = server.store
        let rules = server.lifeCycle
        let due = try await store.lifeCycle.conversationsDue(
            rules,
            at: .now,
            limit: Self.deletionsMax
        )
        for conversation in due where !isStopped {
            if let deletion = try await store.lifeCycle.deleteWhereDue(
                conversation,
                rules,
                at: .now
            ) {
                server.tellDeletion(deletion, of: conversation)
            }
        }
        try await erase()
        try await deleteExpiredRequests()
        while !isStopped {
            switch try await store.lifeCycle.purgeStep(rules, at: .now, batch: Self.batch) {
            case .nothingLeft, .elsewhere: return
            case .rows: break
            case .purged(let conversation):
                server.logger.info(
                    "conversation purged",
                    metadata: ["conversation": "\(conversation)"]
                )
            }
            try await server.loop.sleep(for: Self.pause)
        }
    }

    /// Deletes conversations of OpenAI's API after their day.
    private func deleteExpiredRequests() async throws {
        while !isStopped {
            let deleted = try await server.store.lifeCycle.deleteExpiredRequests(
                limit: Self.deletionsMax
            )
            guard !deleted.isEmpty else { return }
            server.forgetPages(of: deleted)
            try await server.loop.sleep(for: Self.pause)
        }
    }

    /// Deletes KV cache pages of conversations that were deleted or have lost messages: another
    /// node may have deleted them, or this one before a restart.
    private func forgetPages() async throws {
        let onDisk = server.pages?.scopes ?? []
        let scopes = onDisk.union(server.dispatcher.pool?.scopes ?? [])
        let lost = try await server.store.lifeCycle.conversationsLost(
            of: scopes.compactMap { ConversationID($0) },
            since: lookedAt
        )
        server.forgetPages(of: lost.ids)
        lookedAt = lost.time
        // Written after the deletion, so that a crash leaves the older time.
        server.pages?.write(note: "\(lost.time)")
    }

    /// The time up to which the previous process read deletions; nil if unknown.
    private var notedTime: Int64? {
        guard let note = server.pages?.noteFound, let time = Int64(note) else { return nil }
        // Whatever the file contains: only times that the database accepts.
        return (0..<1 << 40).contains(time) ? time : nil
    }

    /// Continues erasing deleted accounts.
    private func erase() async throws {
        try await server.store.accounts.rescheduleErasures(at: .now)
        while !isStopped,
            let step = try await server.store.accounts.erasureStep(at: .now, batch: Self.batch)
        {
            server.nodes.tellMembers(step.events)
            for (conversation, deletion) in step.deletions {
                server.tellDeletion(deletion, of: conversation)
            }
            if let user = step.erased {
                server.logger.info("account erased", metadata: ["user": "\(user)"])
            }
            try await server.loop.sleep(for: Self.pause)
        }
    }
}
