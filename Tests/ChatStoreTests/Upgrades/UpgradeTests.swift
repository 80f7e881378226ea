// Databases of every earlier schema, with rows as that schema stored them, are migrated and read.
// The rows are in Tests/Upgrades, whose README says how they are added.

import ChatProtocol
import ChatStore
import FoundationEssentials
import Postgres
import TestSupport
import Testing

@Suite("Upgrades of earlier schemas")
struct UpgradeTests {
    private static let folder = "\(SharedFiles.packageRoot)/Tests/Upgrades"

    /// The last part of the conversation's rows that fits a schema: its columns change seldom.
    private static func conversation(at version: Int) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let fitting = names.filter { $0.hasPrefix("conversation-") }.sorted().last {
            Int($0.dropFirst(13).prefix(4)).map { $0 <= version } ?? false
        }
        let path = "\(folder)/\(try #require(fitting))"
        return try String(contentsOfFile: path, encoding: .utf8).replacing("$K", with: "\(version)")
    }

    /// The rows of tables and columns that a migration added; nil if it added none.
    private static func rows(of version: Int) -> String? {
        let digits = "000\(version)".suffix(4)
        return try? String(contentsOfFile: "\(folder)/rows-\(digits).sql", encoding: .utf8)
    }

    /// A database that was at each schema up to `version`, and got rows at each.
    private static func database(at version: Int) throws -> TestDatabase {
        let database = try TestCluster.database()
        for step in 1...version {
            try Migrator(Array(schema.prefix(step))).migrate(database.configuration)
            try database.run(conversation(at: step))
            if let rows = rows(of: step) { try database.run(rows) }
        }
        return database
    }

    private static func isEmpty(_ table: String, _ database: TestDatabase) throws -> Bool {
        try database.query("SELECT FROM \(table) LIMIT 1").isEmpty
    }

    @Test("rows of every earlier schema are there after all migrations, and users read them")
    func readable() async throws {
        let database = try Self.database(at: schema.count)
        let names = try database.query(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        ).map { try $0.decode(as: String.self) }
        #expect(names.count > 30)
        for name in names {
            #expect(try !Self.isEmpty(name, database), "\(name): see Tests/Upgrades/README.md")
        }
        try await withStore(of: database) { store, _ in
            var readCount = 0
            for step in 1...schema.count {
                let ids = try database.query(
                    """
                    SELECT id AS conversation, md5('user ' || $1)::uuid AS "user"
                    FROM conversations
                    WHERE id = md5('conversation ' || $1)::uuid AND api_user_id IS NULL
                        AND (team_id IS NULL OR EXISTS (
                            SELECT FROM team_members m
                            WHERE m.team_id = conversations.team_id
                                AND m.user_id = md5('user ' || $1)::uuid
                        ))
                    """,
                    [.text("\(step)")]
                )
                // Conversations of OpenAI's API, and of teams that the user is not in, are not read.
                guard let row = ids.first else { continue }
                readCount += 1
                let page = try await store.messages.page(
                    of: ConversationID(try row.decode("conversation", as: UUID.self)),
                    before: nil,
                    limit: 9,
                    for: UserID(try row.decode("user", as: UUID.self))
                )
                let texts = page.messages.map(\.text)
                #expect(texts.first == "What is \(step) + 1? Größe, 大小, 🍵")
                #expect(texts.last?.hasPrefix("One more than \(step).") == true)
            }
            #expect(readCount >= schema.count - 6)
            #expect(try !Self.isEmpty("messages WHERE body = 'One more than 31.'", database))
            // Texts of every schema are found, folded, and an asked question is stored as usual.
            let found = try database.query(
                "SELECT FROM messages WHERE search @@ '''große'''::tsquery"
            )
            #expect(found.count == schema.count)
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let reply = try await store.say("one", in: conversation, by: ann)
            #expect(reply.answer.state == .queued)
        }
    }

    @Test(
        "what people wrote between the tags of thinking parts is found after the upgrade to schema 37"
    )
    func searchOfTags() throws {
        let database = try Self.database(at: 36)
        let person = "conversation_id = md5('conversation 36')::uuid AND role = 'user'"
        try database.run(
            """
            UPDATE messages SET body = '<think>lighthouse</think> Why?' WHERE \(person);
            UPDATE messages SET body = '<think>shipwreck</think> So.' WHERE role = 'assistant'
            """
        )
        func isFound(_ word: String) throws -> Bool {
            try !Self.isEmpty("messages WHERE search @@ '\(word)'::tsquery", database)
        }
        #expect(try !isFound("lighthouse") && isFound("why"))
        try Migrator(schema).migrate(database.configuration)
        #expect(try isFound("lighthouse") && isFound("why"))
        #expect(try !isFound("shipwreck") && isFound("so"))
        // The column is written by a trigger from then on, for each change of a text.
        try database.run("UPDATE messages SET body = 'albatross' WHERE \(person)")
        #expect(try isFound("albatross") && !isFound("lighthouse"))
    }
}
