import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import FoundationEssentials
import Inference
import Logging
import Networking
import Postgres
import Synchronization
import TestSupport
import Testing
import Tokenizers

/// The demo model, loaded once.
private let demo = Result { () throws(EngineError) in
    try LoadedModel.load(folder: "\(SharedFiles.packageRoot)/Sources/BundledFiles/demo-model")
}

private let schema: [Migration] = BundledFolder.migrations.files.compactMap { file in
    Migration(fileName: file.path, sql: String(decoding: file.bytes, as: UTF8.self))
}

/// A watcher that waits for the end of an answer.
private final class EndListener: Watcher {
    let end: LoopPromise<Void, CancellationError>
    let isSlow = false
    let isStuck = false

    init(_ loop: EventLoop) {
        end = LoopPromise(loop)
    }

    func send(_ frame: SharedBytes) {
        let text = String(decoding: frame.bytes, as: UTF8.self)
        let ends = ["message.completed", "message.stopped", "message.failed"]
        if ends.contains(where: text.contains) { end.succeed(()) }
    }
}

/// A server's inside, without its connections: from the store to the engine and back.
private final class Node {
    let store: Store
    let hub: ConversationHub
    let dispatcher: RunDispatcher
    let engine: RecordingEngine
    private let loop: EventLoop
    private let postgres: PostgresPool

    init(_ loop: EventLoop, _ configuration: PostgresConfiguration) throws {
        let logger = Logger(label: "test")
        let model = try demo.get()
        self.loop = loop
        postgres = PostgresPool(loop: loop, configuration: configuration, logger: logger)
        store = Store(pool: postgres)
        hub = ConversationHub(loop: loop)
        dispatcher = RunDispatcher(
            loop: loop,
            store: store,
            hub: hub,
            configuration: RunDispatcher.Configuration(
                lease: .seconds(30),
                maxTokens: 200,
                temperature: 0
            ),
            logger: logger
        )
        var recording: RecordingEngine?
        let dispatcher = dispatcher
        let pool = EnginePool(
            loop: loop,
            slots: 2,
            contextLimit: 2048,
            makeEngine: { model, sink in
                let engine = try RecordingEngine(model: model, sink: sink)
                recording = engine
                return engine
            },
            receive: { dispatcher.receive($0) }
        )
        try pool.add(model, as: "demo")
        engine = try #require(recording)
        dispatcher.start(pool)
    }

    /// Sends a text and waits until its answer has ended.
    func say(
        _ text: String,
        in conversation: ConversationID,
        by user: User
    ) async throws -> Message {
        let listener = EndListener(loop)
        let known = try await store.conversation(conversation, for: user.id).n
        hub.beginWatch(conversation, listener)
        hub.activate(conversation, listener, n: known)
        defer { hub.unwatch(conversation, listener) }
        let committed = try await store.send(
            MessageSendRequest(conversation: conversation, key: UUID().uuidString, text: text),
            by: user,
            limits: QueueLimits(total: 100, perUser: 100)
        )
        hub.publish(committed.events, in: conversation)
        dispatcher.wake()
        try await listener.end.value { listener.end.fail(CancellationError()) }
        let page = try await store.messages(of: conversation, before: nil, limit: 1, for: user.id)
        return try #require(page.messages.last)
    }

    func end() async {
        await dispatcher.drain(within: .zero)
        engine.shutdown()
        await postgres.close()
    }
}

@Suite("A turn, from the database to the engine and back")
struct TurnTests {
    @Test("gives the model the system prompt and every turn, after a restart too")
    func prompts() async throws {
        let database = try TestCluster.database(migrations: schema)
        let configuration = database.configuration
        let questions = [
            "My favourite colour is teal.", "What is the capital of Finland?", "Write a haiku.",
            "What is 3 plus 4?",
        ]
        // The first life.
        let (user, conversation, answers) = try await EventLoop.run { loop in
            let node = try Node(loop, configuration)
            let user = try await node.store.addUser(
                name: "ann",
                passwordHash: "none",
                isAdmin: false
            )
            let conversation = try await node.store.createConversation(
                ConversationCreateRequest(key: "k"),
                model: "demo",
                systemPrompt: "You are a helpful assistant.",
                by: user.id
            ).id
            var answers: [String] = []
            for question in questions {
                answers.append(try await node.say(question, in: conversation, by: user).text)
            }
            await node.end()
            return (user, conversation, answers)
        }
        // The second: nothing is left of the first but the database.
        let (answer, prompt) = try await EventLoop.run { loop in
            let node = try Node(loop, configuration)
            let answer = try await node.say(
                "What is my favourite colour?",
                in: conversation,
                by: user
            )
            let prompts = node.engine.prompts
            await node.end()
            #expect(prompts.count == 1)
            return (answer, prompts.first ?? [])
        }
        var expected = "<|system|>You are a helpful assistant.<|end|>"
        for (question, answer) in zip(questions, answers) {
            expected += "<|user|>\(question)<|end|><|assistant|>\(answer)<|end|>"
        }
        expected += "<|user|>What is my favourite colour?<|end|><|assistant|>"
        let model = try demo.get()
        #expect(model.tokenizer.decode(prompt, keepSpecial: true) == expected)
        #expect(answer.text.contains("teal"))
        #expect(answer.usage?.promptTokens == prompt.count)
        withExtendedLifetime(database) {}
    }

    @Test("cuts a long history at whole turns, says so, and still answers")
    func longHistory() async throws {
        let database = try TestCluster.database(migrations: schema)
        let configuration = database.configuration
        let (answer, promptCount) = try await EventLoop.run { loop in
            let node = try Node(loop, configuration)
            let user = try await node.store.addUser(
                name: "ann",
                passwordHash: "none",
                isAdmin: false
            )
            let conversation = try await node.store.createConversation(
                ConversationCreateRequest(
                    key: "k",
                    settings: GenerationSettings(maxTokens: 8)
                ),
                model: "demo",
                systemPrompt: "Be brief.",
                by: user.id
            ).id
            let filler = String(repeating: "The long winter night is quiet. ", count: 60)
            for _ in 0..<8 { _ = try await node.say(filler, in: conversation, by: user) }
            let answer = try await node.say(
                "What is the capital of Finland?",
                in: conversation,
                by: user
            )
            let count = node.engine.prompts.last?.count ?? 0
            await node.end()
            return (answer, count)
        }
        #expect((answer.droppedMessages ?? 0) > 0)
        #expect((answer.droppedMessages ?? 1).isMultiple(of: 2))
        #expect(promptCount <= 2048 - 8)
        #expect(answer.state == .complete)
        withExtendedLifetime(database) {}
    }

    @Test("a message that alone is too long fails with a reason, and the next one is answered")
    func tooLong() async throws {
        let database = try TestCluster.database(migrations: schema)
        let configuration = database.configuration
        let (failed, next) = try await EventLoop.run { loop in
            let node = try Node(loop, configuration)
            let user = try await node.store.addUser(
                name: "ann",
                passwordHash: "none",
                isAdmin: false
            )
            func conversation(_ key: String) async throws -> ConversationID {
                try await node.store.createConversation(
                    ConversationCreateRequest(key: key),
                    model: "demo",
                    systemPrompt: "",
                    by: user.id
                ).id
            }
            let long = String(repeating: "word ", count: 5000)
            let failed = try await node.say(long, in: try await conversation("a"), by: user)
            let next = try await node.say("Hello!", in: try await conversation("b"), by: user)
            await node.end()
            return (failed, next)
        }
        #expect(failed.state == .failed)
        #expect(failed.error?.code == .contextExceeded)
        #expect(next.state == .complete)
        withExtendedLifetime(database) {}
    }
}
