import ChatProtocol
import Testing
import stoa

@Suite("A row of /list")
struct ListRowTests {
    @Test(
        "shows unread messages, mentions, and whether an answer is running",
        arguments: [
            (0, nil, 0, false, "2. Tea (ada)"),
            (3, nil, 0, false, "2. Tea (ada) · 3 unread"),
            (3, 1, 1, false, "2. Tea (ada) · 3 unread, @you · answering"),
            (3, 1, 0, true, "2. Tea (ada) · open"),
        ] as [(Int, Int?, Int, Bool, String)]
    )
    func rows(unread: Int, mentions: Int?, running: Int, isOpen: Bool, row: String) {
        let conversation = Conversation(
            id: .make(),
            title: "Tea",
            systemPrompt: nil,
            model: "demo",
            role: .owner,
            members: [Member(user: User(id: .make(), name: "ada"), role: .owner)],
            settings: GenerationSettings(),
            n: 1,
            createdAt: .now,
            updatedAt: .now,
            unread: unread,
            mentions: mentions,
            running: running
        )
        #expect(ChatTranscript.listRow(conversation, number: 2, isOpen: isOpen) == row)
    }

    @Test("says that the conversation is pinned")
    func pinned() {
        let conversation = Conversation(
            id: .make(),
            title: "Tea",
            systemPrompt: nil,
            model: "demo",
            role: .owner,
            members: [],
            settings: GenerationSettings(),
            n: 1,
            createdAt: .now,
            updatedAt: .now,
            pinned: true
        )
        let row = ChatTranscript.listRow(conversation, number: 1, isOpen: false)
        #expect(row == "1. Tea () · pinned")
    }
}

@Suite("A row of /prompts")
struct PromptRowTests {
    @Test("shows name, version and owner, with control sequences removed")
    func rows() {
        func row(_ name: String, _ team: TeamID?) -> String {
            let prompt = LibraryPrompt(
                id: .make(),
                team: team,
                name: name,
                version: 3,
                bytes: 9,
                author: nil,
                updatedAt: .now
            )
            return ChatTranscript.promptRow(prompt, number: 2)
        }
        #expect(row("Brief", nil) == "2. Brief (version 3, yours)")
        #expect(row("Brief", .make()) == "2. Brief (version 3, the team's)")
        #expect(!row("Br\u{1B}[31mief", nil).contains("\u{1B}"))
    }
}
