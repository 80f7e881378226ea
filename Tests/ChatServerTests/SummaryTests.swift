import ChatCore
import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import FoundationEssentials
import Inference
import Postgres
import TestSupport
import Testing
import Tokenizers

@Suite("Summaries of omitted messages")
struct SummaryTests {
    private static let filler = String(repeating: "The long winter night is quiet. ", count: 60)

    /// A conversation with the policy `summarize` that is longer than the context.
    private func longConversation(
        on node: Node,
        by user: User
    ) async throws -> ConversationID {
        let conversation = try await node.makeConversation(
            by: user,
            systemPrompt: "Be brief.",
            settings: GenerationSettings(maxTokens: 8)
        )
        _ = try await node.store.conversations.update(
            ConversationUpdateRequest(conversation: conversation, contextPolicy: .summarize),
            by: user.id
        )
        for _ in 0..<7 { _ = try await node.say(Self.filler, in: conversation, by: user) }
        return conversation
    }

    /// Asks until a summary is used; each answer without one requests one.
    private func firstSummarized(
        in conversation: ConversationID,
        on node: Node,
        by user: User
    ) async throws -> Message? {
        for _ in 0..<40 {
            let answer = try await node.say("What is 2 + 3?", in: conversation, by: user)
            if answer.summarizedMessages != nil { return answer }
        }
        return nil
    }

    @Test("are made when no answer is queued, cover the oldest messages, and are reported")
    func made() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let (answer, text, prompts) = try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            let user = try await node.addUser()
            let conversation = try await longConversation(on: node, by: user)
            let answer = try await firstSummarized(in: conversation, on: node, by: user)
            var text: String?
            if let answer {
                text = try await node.store.context.receipt(
                    of: answer.id,
                    in: conversation,
                    for: user.id
                )
            }
            let prompts = node.allEngines.first?.prompts ?? []
            await node.end()
            return (answer, text, prompts)
        }
        let summarized = try #require(answer?.summarizedMessages)
        let receipt = try JSONDecoder().decode(
            PromptReceipt.self,
            from: Data(try #require(text).utf8)
        )
        #expect(receipt.summarized?.count == summarized)
        #expect(receipt.entries[1].summary == receipt.summarized?.summary)
        let sum = receipt.entries.reduce(receipt.scaffoldTokens) { $0 + $1.tokens }
        #expect(sum == receipt.promptTokens)
        #expect(receipt.promptTokens == answer?.usage?.promptTokens)
        let tokenizer = try Node.demo.get().tokenizer
        let texts = prompts.map { tokenizer.decode($0, keepSpecial: true) }
        let asked = texts.filter { $0.hasPrefix("<|system|>You summarize conversations.") }
        #expect(!asked.isEmpty)
        // Its messages are separate turns, followed by the request for a summary.
        #expect(asked.allSatisfy { $0.contains("<|user|>The long winter night") })
        #expect(asked.allSatisfy { $0.contains("<|user|>Summarize all of our conversation") })
        #expect(texts.last?.contains("<|user|>Summary of the earlier part") == true)
        withExtendedLifetime(database) {}
    }

    @Test("are deleted with the messages that they cover")
    func deleted() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let (before, after) = try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            let user = try await node.addUser()
            let conversation = try await longConversation(on: node, by: user)
            let answer = try await firstSummarized(in: conversation, on: node, by: user)
            let page = try await node.store.messages.page(
                of: conversation,
                before: nil,
                limit: 100,
                for: user.id
            )
            let first = try #require(page.messages.first?.id)
            _ = try await node.store.messages.delete(
                MessageDeleteRequest(conversation: conversation, message: first),
                by: user.id
            )
            let next = try await node.say("What is 2 + 3?", in: conversation, by: user)
            await node.end()
            return (answer, next)
        }
        #expect(before?.summarizedMessages != nil)
        #expect(after.summarizedMessages == nil)
        #expect(after.droppedMessages ?? 0 == 0)
        withExtendedLifetime(database) {}
    }

    @Test("yield to answers, which get all slots and all end")
    func givingWay() async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        let states = try await EventLoop.run { loop in
            let node = try Node.withDemo(loop, configuration)
            let user = try await node.addUser()
            let conversation = try await longConversation(on: node, by: user)
            var others: [ConversationID] = []
            for _ in 0..<6 { others.append(try await node.makeConversation(by: user)) }
            let listener = EventListener(loop)
            for other in others { try await listener.watch(other, of: user, on: node) }
            _ = try await node.say("What is 2 + 3?", in: conversation, by: user)
            var answers: [(ConversationID, MessageID)] = []
            for other in others {
                answers.append((other, try await node.ask("Hello!", in: other, by: user)))
            }
            var states: [MessageState] = []
            for (other, answer) in answers {
                try await listener.wait(until: { $0.endedMessage == answer })
                states.append(try await node.message(answer, in: other, for: user).state)
            }
            for other in others { node.hub.unwatch(other, listener) }
            let summarized = try await firstSummarized(in: conversation, on: node, by: user)
            #expect(summarized != nil)
            await node.end()
            return states
        }
        #expect(states == Array(repeating: .complete, count: 6))
        withExtendedLifetime(database) {}
    }
}
