// Which conversation a name stands for.

import ChatProtocol
import Testing
import stoa

@Suite("Names of conversations")
struct ConversationNameTests {
    private static let ids = (0..<6).map { _ in ConversationID.make() }
    private static let titles = [
        "Tea", "Tea with milk", "Minutes of Monday", "Minutes of Tuesday", "Dragon fixes", "",
    ]

    private static let all = zip(ids, titles).map { id, title in
        Conversation(
            id: id,
            title: title,
            systemPrompt: nil,
            model: "demo",
            role: .owner,
            members: [],
            settings: GenerationSettings(),
            n: 1,
            createdAt: Timestamp(milliseconds: 0),
            updatedAt: Timestamp(milliseconds: 0)
        )
    }

    @Test(
        "the nearest title counts: the same, its beginning, a part, words, letters in order",
        arguments: [
            ("tea", 0), ("Tea w", 1), ("MILK", 1), ("tuesday minutes", 3), ("dgfx", 4),
            ("monday", 2),
        ]
    )
    func nearest(text: String, index: Int) {
        #expect(ConversationName(text).match(in: Self.all) == .one(Self.ids[index]))
    }

    @Test("an id and its beginning name a conversation")
    func identifiers() {
        let id = Self.ids[3]
        #expect(ConversationName("\(id)").match(in: Self.all) == .one(id))
        // Ids made at the same time begin alike.
        let start = String("\(id)".prefix(30))
        #expect(ConversationName(start).match(in: Self.all) == .one(id))
    }

    @Test("several that are equally near are all given, and none is none")
    func ambiguous() {
        let several = ConversationName("minutes").match(in: Self.all)
        #expect(several == .several([Self.all[2], Self.all[3]]))
        #expect(ConversationName("coffee").match(in: Self.all) == .none)
    }
}
