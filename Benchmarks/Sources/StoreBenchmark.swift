// The cost of reading from a database filled by Benchmarks/fill.sql: a long branch for a prompt, a page
// of a long list.

import ArgumentParser
import ChatProtocol
import ChatStore
import EventLoop
import Logging
import Postgres

struct StoreBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Read a branch of 1,000 messages, and a list of 50 among 100,000 conversations."
    )

    @Option(help: "The database, as host=… dbname=….") var databaseURL: String
    @Option(help: "The user who has the conversations.") var user: String
    @Option(help: "The conversation with the long branch.") var conversation: String
    @Option(help: "How often each is read.") var runs = 200

    func run() async throws {
        guard let user = UserID(user), let conversation = ConversationID(conversation) else {
            throw ValidationError("an id is a UUID")
        }
        let configuration = try PostgresConfiguration(connectionString: databaseURL)
        let runs = runs
        let (branch, list) = try await EventLoop.run { loop in
            let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
            let pool = PostgresPool(loop: loop, configuration: configuration, logger: logger)
            let store = Store(pool: pool)
            let leaf = try await store.messages.page(
                of: conversation,
                before: nil,
                limit: 1,
                for: user
            ).messages.last?.id
            guard let leaf else { throw ValidationError("the conversation is empty") }
            var branch = Sample()
            var list = Sample()
            for _ in 0..<runs {
                var start = ContinuousClock.now
                let texts = try await store.context.branchTexts(
                    of: conversation,
                    endingAt: leaf,
                    depth: 1000,
                    messageLimit: 1000,
                    byteLimit: .max
                )
                branch.add((ContinuousClock.now - start).inSeconds)
                guard texts.count == 1000 else {
                    throw ValidationError("the branch has \(texts.count) messages")
                }
                start = .now
                _ = try await store.lists.conversations(of: user, cursor: nil, limit: 50)
                list.add((ContinuousClock.now - start).inSeconds)
            }
            await pool.close()
            return (branch, list)
        }
        report("branch_1000_p50_ms", branch.median * 1000)
        report("branch_1000_p99_ms", branch.percentile(0.99) * 1000)
        report("list_50_p50_ms", list.median * 1000)
        report("list_50_p99_ms", list.percentile(0.99) * 1000)
    }
}
