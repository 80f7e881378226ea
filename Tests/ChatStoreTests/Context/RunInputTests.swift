import ChatCore
import ChatProtocol
import ChatStore
import FoundationEssentials
import Testing

@Suite("The input of a run")
struct RunInputTests {
    @Test("is its own branch, however many messages of other branches are in between")
    func manyBranches() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann, prompt: "be brief")
            var parent: MessageID?
            var expected: [String] = []
            var run: ClaimedRun?
            for turn in 0..<8 {
                // Siblings outside the branch, more of them than a page has room for besides its
                // messages.
                // for beyond its messages.
                for other in 0..<8 where turn > 0 {
                    _ = try await send("other \(turn) \(other)", after: parent, conversation, ann)
                    _ = try await store.answer("no")
                }
                let reply = try await send("q\(turn)", after: parent, conversation, ann)
                expected += ["q\(turn)", "a\(turn)"]
                parent = reply.answer.id
                if turn == 7 {
                    run = try await store.claimRun(node: UUID(), lease: .seconds(60))
                } else {
                    _ = try await store.answer("a\(turn)")
                }
            }
            func send(
                _ text: String,
                after parent: MessageID?,
                _ conversation: Conversation,
                _ user: User
            ) async throws -> MessageSendReply {
                try await store.messages.send(
                    MessageSendRequest(
                        conversation: conversation.id,
                        key: UUID().uuidString,
                        text: text,
                        parent: parent
                    ),
                    by: user,
                    limits: wide
                ).value
            }
            let input = try await store.context.input(of: try #require(run), messageLimit: 100)
            #expect(input.branch.map(\.text) == expected.dropLast())
            #expect(input.olderMessageCount == 0)
            #expect(input.firstMessage == input.branch.first?.id)
            #expect(input.systemPromptVersion == .init(scope: .conversation, version: 1))
            let part = try await store.context.input(of: try #require(run), messageLimit: 4)
            #expect(part.branch.map(\.text) == ["a5", "q6", "a6", "q7"])
            #expect(part.olderMessageCount == 11)
            #expect(part.firstMessage == input.branch.first?.id)
        }
    }

    @Test("ends when more text was read than a context can contain")
    func longTexts() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let conversation = try await store.someConversation(of: ann)
            let long = String(repeating: "long ", count: 2000)
            for _ in 0..<10 {
                _ = try await store.say(long, in: conversation, by: ann)
                _ = try await store.answer("a")
            }
            _ = try await store.say("last", in: conversation, by: ann)
            let run = try #require(try await store.claimRun(node: UUID(), lease: .seconds(60)))
            let input = try await store.context.input(of: run, messageLimit: 100)
            #expect(input.branch.count < 21)
            #expect(input.branch.count + input.olderMessageCount == 21)
            #expect(input.branch.last?.text == "last")
            #expect(input.branch.reduce(0) { $0 + $1.text.utf8.count } >= 100 * 192)
        }
    }
}
