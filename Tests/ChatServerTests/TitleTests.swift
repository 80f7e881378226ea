import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import Inference
import Postgres
import Synchronization
import TestSupport
import Testing

/// Replaces what the engine generates for titles: every request after the first one of a node.
private final class TitleScript: Sendable {
    private let text: String
    private let finish: Inference.FinishReason
    private let sent = Mutex<Set<UInt64>>([])

    init(_ text: String, _ finish: Inference.FinishReason = .stop) {
        self.text = text
        self.finish = finish
    }

    func pass(_ events: [TokenEvent]) -> [TokenEvent] {
        events.flatMap { event -> [TokenEvent] in
            guard event.id > 1 else { return [event] }
            switch event {
            case .text: return []
            case .finished(let id, let completion):
                guard sent.withLock({ $0.insert(id).inserted }) else { return [event] }
                var scripted = completion
                scripted.finish = finish
                return [
                    .text(id: id, text: text, tokens: []),
                    .finished(id: id, completion: scripted),
                ]
            default: return [event]
            }
        }
    }
}

@Suite("Titles made by the model")
struct TitleTests {
    /// What a node did with the first question of a conversation.
    private struct Outcome: Sendable {
        var title = ""
        var events: [String] = []
        var promptCount = 0
        var charged: Int64 = 0
        var listed: String?
    }

    /// Asks one question, and waits until its title was made or refused.
    private func outcome(
        of script: TitleScript,
        enabled: Bool = true,
        titled: String? = nil
    ) async throws -> Outcome {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let outcome = try await EventLoop.run { loop in
            let node = try Node(loop, configuration, makesTitles: enabled) { script.pass($0) }
            try node.pool.add(try Node.demo.get(), as: "demo")
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(by: user)
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: node)
            if let titled {
                _ = try await node.store.conversations.update(
                    ConversationUpdateRequest(conversation: conversation, title: titled),
                    by: user.id
                )
            }
            _ = try await node.say("What is 2 + 3?", in: conversation, by: user)
            while node.dispatcher.hasIdleWork { try await loop.sleep(for: .milliseconds(1)) }
            var outcome = Outcome()
            outcome.title = try await node.store.conversations.conversation(
                conversation,
                for: user.id
            ).title
            outcome.events = listener.events.compactMap { event in
                if case .conversationUpdated(let updated) = event {
                    updated.changed.title
                } else {
                    nil
                }
            }
            outcome.promptCount = node.allEngines.first?.prompts.count ?? 0
            outcome.listed = try await node.store.lists.conversations(
                of: user.id,
                cursor: nil,
                limit: 1
            ).conversations.first?.title
            #expect(try await node.store.ledger.imbalances().isEmpty)
            await node.end()
            return outcome
        }
        let charged = try database.query(
            "SELECT coalesce(sum(used), 0)::bigint AS used FROM ledger WHERE kind = 'title'"
        )
        withExtendedLifetime(database) {}
        var whole = outcome
        whole.charged = try charged.first?.decode("used", as: Int64.self) ?? 0
        return whole
    }

    @Test("replace the beginning of the question, and are sent and charged to the server")
    func made() async throws {
        let outcome = try await outcome(of: TitleScript("Title: \"Adding two numbers.\"\n"))
        #expect(outcome.title == "Adding two numbers")
        #expect(outcome.listed == "Adding two numbers")
        #expect(outcome.events == ["What is 2 + 3?", "Adding two numbers"])
        #expect(outcome.promptCount == 2)
        #expect(outcome.charged > 0)
    }

    @Test(
        "are not used if the model's text is no title",
        arguments: [
            TitleScript(" \n **\"\"** \n"), TitleScript("A sum that has no", .length),
            TitleScript(String(repeating: "A long sentence. ", count: 20)),
        ]
    )
    private func useless(script: TitleScript) async throws {
        let outcome = try await outcome(of: script)
        #expect(outcome.title == "What is 2 + 3?")
        #expect(outcome.events == ["What is 2 + 3?"])
        #expect(outcome.promptCount == 2)
        #expect(outcome.charged > 0)
    }

    @Test("are not made if a user has set one, or if they are disabled")
    func notMade() async throws {
        let named = try await outcome(of: TitleScript("Sums"), titled: "Mine")
        #expect(named.title == "Mine")
        let disabled = try await outcome(of: TitleScript("Sums"), enabled: false)
        #expect(disabled.title == "What is 2 + 3?")
        for outcome in [named, disabled] {
            #expect(outcome.promptCount == 1)
            #expect(outcome.charged == 0)
        }
    }
}
