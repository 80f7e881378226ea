import ChatCore
import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import FoundationEssentials
import Inference
import TestSupport
import Testing
import Tokenizers

@Suite("A turn, from the database to the engine and back")
struct TurnTests {
    @Test("gives the model the system prompt and every turn, after a restart too")
    func prompts() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let questions = [
            "My favourite colour is teal.", "What is the capital of Finland?", "Write a haiku.",
            "What is 3 plus 4?",
        ]
        // The first process.
        let (user, conversation, answers) = try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(by: user)
            var answers: [String] = []
            for question in questions {
                answers.append(try await node.say(question, in: conversation, by: user).text)
            }
            await node.end()
            return (user, conversation, answers)
        }
        // The second process: only the database is left.
        let (answer, prompt) = try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            let answer = try await node.say(
                "What is my favourite colour?",
                in: conversation,
                by: user
            )
            let prompts = node.allEngines.first?.prompts ?? []
            await node.end()
            #expect(prompts.count == 1)
            return (answer, prompts.first ?? [])
        }
        var expected = "<|system|>You are a helpful assistant.<|end|>"
        for (question, answer) in zip(questions, answers) {
            expected += "<|user|>\(question)<|end|><|assistant|>\(answer)<|end|>"
        }
        expected += "<|user|>What is my favourite colour?<|end|><|assistant|>"
        let model = try Node.demo.get()
        #expect(model.tokenizer.decode(prompt, keepSpecial: true) == expected)
        #expect(answer.text.contains("teal"))
        #expect(answer.usage?.promptTokens == prompt.count)
        withExtendedLifetime(database) {}
    }

    @Test("stores a receipt from which the answer can be repeated, for members only")
    func receipts() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let (text, prompt) = try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            let user = try await node.addUser()
            let other = try await node.addUser("bob", isAdmin: true)
            let conversation = try await node.makeConversation(by: user, systemPrompt: "")
            let answer = try await node.say("Who are you?", in: conversation, by: user)
            let store = node.store
            func receipt(of message: MessageID, for user: User) async throws -> String? {
                try await store.context.receipt(of: message, in: conversation, for: user.id)
            }
            let text = try await receipt(of: answer.id, for: user)
            let question = try #require(answer.parent)
            #expect(try await receipt(of: question, for: user) == nil)
            await #expect(throws: WireError.noSuchConversation) {
                try await receipt(of: answer.id, for: other)
            }
            await #expect(throws: WireError.noSuchMessage) {
                try await receipt(of: .make(), for: user)
            }
            let prompts = node.allEngines.first?.prompts ?? []
            await node.end()
            return (try #require(text), try #require(prompts.first))
        }
        struct Stored: Decodable {
            let entries: [PromptReceipt.Entry]
            let run: RunReceipt
        }
        let stored = try JSONDecoder().decode(Stored.self, from: Data(text.utf8))
        #expect(stored.entries.count == 1)
        #expect(stored.run.prompt.ids == nil)
        #expect(
            try Node.demo.get().replay(stored.run, prompt: prompt)
                == .same(tokenCount: stored.run.answer.ids.count)
        )
        withExtendedLifetime(database) {}
    }

    @Test("drops whole turns of a long history, reports that, and still answers")
    func longHistory() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let (answer, promptCount) = try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(
                by: user,
                systemPrompt: "Be brief.",
                settings: GenerationSettings(maxTokens: 8)
            )
            let filler = String(repeating: "The long winter night is quiet. ", count: 60)
            for _ in 0..<8 { _ = try await node.say(filler, in: conversation, by: user) }
            let answer = try await node.say(
                "What is the capital of Finland?",
                in: conversation,
                by: user
            )
            let count = node.allEngines.first?.prompts.last?.count ?? 0
            await node.end()
            return (answer, count)
        }
        #expect((answer.droppedMessages ?? 0) > 0)
        #expect((answer.droppedMessages ?? 1).isMultiple(of: 2))
        #expect(promptCount <= 2048 - 8)
        #expect(answer.state == .complete)
        withExtendedLifetime(database) {}
    }

    @Test("an answer that is stopped while its prompt is built never starts")
    func stopBeforeStart() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let (stopped, promptCount, next) = try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            let user = try await node.addUser()
            let conversation = try await node.makeConversation(by: user)
            let releasePrompts = await node.holdPrompts()
            let listener = EventListener(loop)
            try await listener.watch(conversation, of: user, on: node)
            let answer = try await node.ask("Hello!", in: conversation, by: user)
            while !node.dispatcher.stop(answer, seen: nil) { await Task.yield() }
            try await releasePrompts()
            try await listener.wait(until: { $0.endedMessage == answer })
            node.hub.unwatch(conversation, listener)
            let stopped = try await node.message(answer, in: conversation, for: user)
            let promptCount = node.allEngines.first?.prompts.count
            let next = try await node.say("Hello!", in: conversation, by: user)
            await node.end()
            return (stopped, promptCount, next)
        }
        #expect(stopped.state == .stopped)
        #expect(stopped.text.isEmpty)
        #expect(promptCount == 0)
        #expect(next.state == .complete)
        withExtendedLifetime(database) {}
    }

    @Test("a message that is too long fails with a reason, and the next one is answered")
    func tooLong() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let (failed, next) = try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            let user = try await node.addUser()
            let first = try await node.makeConversation(by: user, systemPrompt: "")
            let second = try await node.makeConversation(by: user, systemPrompt: "")
            let long = String(repeating: "word ", count: 5000)
            let failed = try await node.say(long, in: first, by: user)
            let next = try await node.say("Hello!", in: second, by: user)
            await node.end()
            return (failed, next)
        }
        #expect(failed.state == .failed)
        #expect(failed.error?.code == .contextExceeded)
        #expect(next.state == .complete)
        withExtendedLifetime(database) {}
    }
}
