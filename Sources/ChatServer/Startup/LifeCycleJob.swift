// What ends by itself: once a minute the server looks for conversations whose time is over, leaves those
// of deleted accounts, and purges what was deleted long enough ago, a little at a time, so that nobody
// waits for it.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Inference
import Logging

/// Deletes and purges what is due, on a server's loop.
final class LifeCycleJob {
    /// Between two looks at what is due.
    private static let period: Duration = .seconds(60)
    /// Between two steps: the database's time belongs to others.
    private static let pause: Duration = .milliseconds(50)
    /// Rows of a step, and conversations that are deleted at one look.
    private static let batch = 1000
    private static let deletionsMax = 100

    private let server: Server
    private var isStopped = false
    /// Until when was looked what may not be kept any more, by the database's clock; nil for never.
    private var lookedAt: Int64?

    init(_ server: Server) {
        self.server = server
    }

    /// Begins, and goes on until `stop`.
    func start() {
        repeatInPeriods { [self] in try await run() }
        lookedAt = notedTime
        // What is due may take long, or fail: nothing of what is gone is kept for that.
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

    /// Ends with the step that is under way.
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

    /// Lets go of what was read of conversations that are gone or have lost messages: another node may
    /// have deleted them, or this one before it went down.
    private func forgetPages() async throws {
        let onDisk = server.pages?.scopes ?? []
        let scopes = onDisk.union(server.dispatcher.pool?.scopes ?? [])
        let lost = try await server.store.lifeCycle.conversationsLost(
            of: scopes.compactMap { ConversationID($0) },
            since: lookedAt
        )
        server.forgetPages(of: lost.ids)
        lookedAt = lost.time
        // Behind what is removed, so that a crash leaves the older note.
        server.pages?.write(note: "\(lost.time)")
    }

    /// When the life before this one looked; nil where nobody knows.
    private var notedTime: Int64? {
        guard let note = server.pages?.noteFound, let time = Int64(note) else { return nil }
        // Whatever is in the file: a time that the database knows.
        return (0..<1 << 40).contains(time) ? time : nil
    }

    /// Goes on with accounts that were deleted.
    private func erase() async throws {
        try await server.store.accounts.lookAgainAtDeletedUsers(at: .now)
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
