// A store over a new database, on a loop of its own.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Postgres
import TestSupport

/// The schema in Migrations/.
let schema: [Migration] = {
    let folder = "\(SharedFiles.packageRoot)/Migrations"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.sorted().compactMap { name in
        guard let sql = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) else {
            return nil
        }
        return Migration(fileName: name, sql: sql)
    }
}()

/// Runs `body` with a store over a new database.
func withStore<Value: Sendable>(
    _ body: @escaping @Sendable (Store, EventLoop) async throws -> Value
) async throws -> Value {
    try await withStore(of: TestCluster.database(migrations: schema), body)
}

/// Runs `body` with a store over a database.
func withStore<Value: Sendable>(
    of database: TestDatabase,
    _ body: @escaping @Sendable (Store, EventLoop) async throws -> Value
) async throws -> Value {
    let configuration = database.configuration
    let result = try await EventLoop.run { loop in
        let pool = PostgresPool(
            loop: loop,
            configuration: configuration,
            logger: Logger(label: "test")
        )
        let result = try await body(Store(pool: pool), loop)
        await pool.close()
        return result
    }
    withExtendedLifetime(database) {}
    return result
}

/// Limits that no test reaches by accident.
let wide = QueueLimits(total: 10_000, perUser: 10_000)

extension Store {
    /// Creates a user with a unique name.
    func someone(_ name: String = "u-\(UUID().uuidString.lowercased())") async throws -> User {
        try await accounts.addUser(name: name, passwordHash: "none", isAdmin: false)
    }

    /// Creates a conversation of `user`.
    func someConversation(of user: User, prompt: String = "be kind") async throws -> Conversation {
        try await conversations.create(
            ConversationCreateRequest(key: UUID().uuidString),
            model: "demo",
            systemPrompt: prompt,
            by: user.id
        )
    }

    /// Sends a text under a new key.
    func say(
        _ text: String,
        in conversation: Conversation,
        by user: User
    ) async throws -> MessageSendReply {
        try await messages.send(
            MessageSendRequest(
                conversation: conversation.id,
                key: UUID().uuidString,
                text: text
            ),
            by: user,
            limits: wide
        ).value
    }

    /// Claims the next run, like a node that starts by reading the queue.
    func claimRun(
        node: UUID,
        lease: Duration,
        of models: ModelFilter = .allBut([])
    ) async throws -> ClaimedRun? {
        var queue = FairQueue()
        let rows = try await self.queue.rows(limit: 1000)
        for var row in rows {
            row.answer.answerTokens = 100
            queue.push(row.answer)
        }
        for row in rows where row.isLeased { queue.start(row.answer.message) }
        guard let next = queue.next(where: { models.allows($0.model) }) else { return nil }
        return try await self.queue.claim([next.message], node: node, lease: lease).first
    }

    /// Claims the next run and completes it with a text.
    func answer(_ text: String) async throws -> ServerEvent? {
        guard let run = try await claimRun(node: UUID(), lease: .seconds(60)) else { return nil }
        return try await runs.finish(
            run,
            RunOutcome(text: text, state: .complete, finish: .stop)
        )
    }
}

/// The error code that `body` throws; nil if it throws none.
func refusal(_ body: () async throws -> Void) async -> ErrorCode? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? WireError)?.code
    }
}
