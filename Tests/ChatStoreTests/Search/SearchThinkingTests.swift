import ChatProtocol
import ChatStore
import Postgres
import TestSupport
import Testing

@Suite("Search and thinking parts")
struct SearchThinkingTests {
    @Test(
        "what a person writes between the tags is found, and what an answer thought is not",
        arguments: SearchWay.allCases
    )
    func roles(way: SearchWay) async throws {
        try await withSearch(way) { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let question = try await store.say(
                "<think>The lighthouse keeper, 灯台守</think> What does this tag mean?",
                in: conversation,
                by: ann
            ).message.id
            _ = try await store.answer(
                "<think>A shipwreck, 難破船, comes to mind.</think>\n\nIt encloses a thought."
            )
            let queries = ["lighthouse", "ightho", "\"lighthouse keeper\"", "台守", "<think>", "tag"]
            for query in queries {
                let found = try await store.find(query, as: ann)
                #expect(found.map(\.message) == [question], "\(query)")
                #expect(found.first?.snippet.contains(where: \.match) == true, "\(query)")
            }
            for query in ["shipwreck", "hipwre", "\"comes to mind\"", "破船"] {
                #expect(try await store.find(query, as: ann).isEmpty, "\(query)")
            }
            #expect(try await store.find("encloses", as: ann).map(\.role) == [.assistant])
        }
    }

    @Test("a tag that a person leaves open hides nothing, and authors and months count as before")
    func openTag() async throws {
        try await withSearch { store, database in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let text = "<think> is where reasoning begins"
            let message = try await store.say(text, in: conversation, by: ann).message.id
            let found = try await store.find("reasoning", as: ann, by: ann.name)
            #expect(found.map(\.message) == [message])
            let entries = try database.query(
                "SELECT search::text FROM messages WHERE body = $1",
                [.text(text)]
            ).map { try $0.decode(as: String.self) }
            #expect(entries.count == 1)
            #expect(entries.first?.contains("author:\(ann.id)") == true)
            #expect(entries.first?.contains("month:") == true)
        }
    }
}
