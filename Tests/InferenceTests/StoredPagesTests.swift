// Engines with a page store on disk.

import Checkpoints
import FoundationEssentials
import Inference
import PhiModel
import TestSupport
import Testing
import Tokenizers

@Suite("Stored pages", .timeLimit(.minutes(1)))
struct StoredPagesTests {
    private let model: LoadedModel
    private let events = EventLog()
    private let folder: TemporaryFolder
    private let log = LogLines()

    init() throws {
        model = try DemoModel.load()
        folder = try TemporaryFolder()
    }

    private var path: String { "\(folder.path)/kv" }

    private func store() throws -> PageStore {
        try PageStore(folder: path, byteLimit: 1 << 30) { [log] in log.write($0) }
    }

    /// Eight pages of 32 positions.
    private func littleMemory() throws -> EngineConfiguration {
        try EngineConfiguration(slots: 1, contextLimit: 96, keyValueMebibytes: 1)
    }

    private func request(_ turns: [String], scope: String?) -> GenerationRequest {
        let messages = turns.enumerated().map { index, text in
            ChatMessage(role: index.isMultiple(of: 2) ? "user" : "assistant", content: text)
        }
        return GenerationRequest(
            id: 1,
            prompt: model.template.encode(messages, addGenerationPrompt: true).tokens,
            maxNewTokens: 24,
            cacheScope: scope
        )
    }

    private func ask(_ engine: Engine, _ turns: [String], scope: String?) async throws -> Answer {
        try engine.submit(request(turns, scope: scope))
        return await events.answer()
    }

    /// Starts an engine, answers these turns in the scope, and shuts it down.
    private func live(
        _ turns: [String],
        scope: String = "a",
        model: LoadedModel? = nil
    ) async throws -> Answer {
        let store = try store()
        let engine = try Engine(model: model ?? self.model, pages: store, sink: events.sink)
        let answer = try await ask(engine, turns, scope: scope)
        engine.shutdown()
        store.close()
        return answer
    }

    /// Answers turn by turn with a running engine.
    private func warm(_ questions: [String], _ model: LoadedModel) async throws -> [Answer] {
        let engine = try Engine(model: model, sink: events.sink)
        var turns: [String] = []
        var answers: [Answer] = []
        for question in questions {
            let answer = try await ask(engine, turns + [question], scope: "warm")
            turns += [question, answer.text]
            answers.append(answer)
        }
        engine.shutdown()
        return answers
    }

    private func cachedCount(_ answer: Answer) -> Int? { answer.completion?.cachedTokens }

    @Test(
        "after each restart a conversation continues as without a restart",
        arguments: KeyValueBits.allCases
    )
    func restarts(bits: KeyValueBits) async throws {
        let model = model.keeping(bits)
        let questions = ["What is 3 + 4?", "Who are you?", "And what is 1 + 1?"]
        var turns: [String] = []
        for (question, expected) in zip(questions, try await warm(questions, model)) {
            let answer = try await live(turns + [question], model: model)
            #expect(answer.text == expected.text)
            #expect(
                answer.completion?.receipt?.answer.ids == expected.completion?.receipt?.answer.ids
            )
            #expect(cachedCount(answer) == cachedCount(expected))
            #expect((cachedCount(answer) == 0) == turns.isEmpty)
            turns += [question, answer.text]
        }
        #expect(log.lines.isEmpty)
    }

    @Test(
        "stored pages are the same with and without drafts",
        arguments: KeyValueBits.allCases
    )
    func drafts(bits: KeyValueBits) async throws {
        let question = "What is the capital of Finland?"
        // The clock stands still, so the policy uses its initial costs.
        let start = ContinuousClock.now
        func answer(
            _ turns: [String],
            _ store: PageStore?,
            speculates: Bool
        ) async throws -> Answer {
            let engine = try Engine(
                model: model.keeping(bits),
                configuration: EngineConfiguration(speculates: speculates),
                pages: store,
                now: { start },
                sink: events.sink
            )
            let answer = try await ask(engine, turns, scope: "a")
            engine.shutdown()
            return answer
        }
        var turns = [question]
        var acceptedCount = 0
        for _ in 0..<3 {
            let store = try store()
            let drafted = try await answer(turns, store, speculates: true)
            store.close()
            let expected = try await answer(turns, nil, speculates: false)
            #expect(
                drafted.completion?.receipt?.answer.ids == expected.completion?.receipt?.answer.ids
            )
            #expect((cachedCount(drafted) == 0) == (turns.count == 1))
            acceptedCount += drafted.completion?.acceptedTokens ?? 0
            turns += [drafted.text, question]
        }
        #expect(acceptedCount > 0)
        #expect(log.lines.isEmpty)
    }

    @Test("evicted pages are restored from disk", arguments: [false, true])
    func eviction(isKept: Bool) async throws {
        let store: PageStore? = try isKept ? self.store() : nil
        let engine = try Engine(
            model: model,
            configuration: littleMemory(),
            pages: store,
            sink: events.sink
        )
        let question = ["Tell me a long story about the number 7."]
        let first = try await ask(engine, question, scope: "a")
        store?.waitUntilStored("a")
        // More than fits into memory.
        for index in 0..<8 {
            let other = ["Tell me a long story about the number \(index)."]
            #expect(cachedCount(try await ask(engine, other, scope: "b\(index)")) == 0)
        }
        let again = try await ask(engine, question, scope: "a")
        let promptCount = request(question, scope: nil).prompt.count
        #expect(cachedCount(again) == (isKept ? promptCount - 1 : 0))
        #expect(again.text == first.text)
        engine.shutdown()
        store?.close()
    }

    @Test("a long conversation is restored from disk while another answer runs")
    func returning() async throws {
        var text = ""
        // More pages than are restored in one step while an answer runs.
        while request([text], scope: nil).prompt.count < 20 * 32 { text += "Be kind. " }
        let returning = request([text], scope: "a")
        let first = try await live([text])
        let alone = try await live(["Tell me a long story."], scope: "b")
        var other = request(["Tell me a long story."], scope: nil)
        other.id = 2
        let events = events
        let reference = EngineReference()
        let store = try store()
        let engine = try Engine(model: model, configuration: .init(slots: 2), pages: store) {
            batch in
            for case .started(2, _, _) in batch { reference.use { try? $0.submit(returning) } }
            events.sink(batch)
        }
        reference.set(engine)
        try engine.submit(other)
        let answers = await events.answers(2)
        #expect(answers[1]?.text == first.text)
        #expect(answers[1].flatMap(cachedCount) == returning.prompt.count - 1)
        #expect(answers[2]?.text == alone.text)
        #expect(log.lines.isEmpty)
        engine.shutdown()
        store.close()
    }

    @Test("other conversations, and requests without one, find no pages")
    func privacy() async throws {
        let question = ["What is the capital of Finland?"]
        _ = try await live(question, scope: "a")
        #expect(cachedCount(try await live(question, scope: "b")) == 0)
        let store = try store()
        #expect(store.scopes == ["a", "b"])
        let engine = try Engine(model: model, pages: store, sink: events.sink)
        #expect(cachedCount(try await ask(engine, question, scope: nil)) == 0)
        engine.shutdown()
        #expect(store.scopes == ["a", "b"])
        store.close()
    }

    @Test("a damaged file only causes the prompt to be computed again")
    func damage() async throws {
        let question = ["What is the capital of Finland?"]
        let first = try await live(question)
        let file = URL(filePath: "\(path)/a.kv")
        var bytes = Array(try Data(contentsOf: file))
        bytes[10_000] ^= 1
        try Data(bytes).write(to: file)
        let second = try await live(question)
        #expect(cachedCount(second) == 0)
        #expect(second.text == first.text)
        #expect(log.lines.count == 1)
        #expect(cachedCount(try await live(question)) != 0)
    }

    @Test("pages of another model or template are not used")
    func otherModel() async throws {
        let question = ["What is the capital of Finland?"]
        _ = try await live(question)
        let identity = model.identity
        let others = [
            ModelIdentity(name: identity.name, hash: "other", templateHash: identity.templateHash),
            ModelIdentity(name: identity.name, hash: identity.hash, templateHash: "other"),
        ]
        for other in others {
            let changed = LoadedModel(
                model: model.model,
                tokenizer: model.tokenizer,
                template: model.template,
                identity: other
            )
            #expect(cachedCount(try await live(question, model: changed)) == 0)
        }
        #expect(log.lines.count == 2)
        // A model without a hash stores nothing.
        let nameless = LoadedModel(
            model: model.model,
            tokenizer: model.tokenizer,
            template: model.template,
            identity: ModelIdentity(name: identity.name)
        )
        _ = try await live(question, scope: "nameless", model: nameless)
        #expect(!FileManager.default.fileExists(atPath: "\(path)/nameless.kv"))
    }

    @Test("pages are not used with another precision")
    func otherBits() async throws {
        let question = ["What is the capital of Finland?"]
        _ = try await live(question)
        let eight = model.keeping(.eight)
        // Kernels that do not round ignore the setting.
        let isOther = eight.model.kernelName != model.model.kernelName
        #expect((cachedCount(try await live(question, model: eight)) == 0) == isOther)
        #expect((cachedCount(try await live(question)) == 0) == isOther)
        #expect(log.lines.count == (isOther ? 2 : 0))
    }

    @Test("a removed conversation leaves nothing in memory or on disk")
    func forgetting() async throws {
        let question = ["What is the capital of Finland?"]
        let store = try store()
        let engine = try Engine(model: model, pages: store, sink: events.sink)
        for scope in ["a", "b"] { _ = try await ask(engine, question, scope: scope) }
        #expect(engine.scopes == ["a", "b"])
        engine.forget(["a"])
        #expect(cachedCount(try await ask(engine, question, scope: "a")) == 0)
        engine.forget(["a"])
        engine.shutdown()
        #expect(engine.scopes == ["b"])
        store.close()
        #expect(store.scopes == ["b"])
        #expect(!FileManager.default.fileExists(atPath: "\(path)/a.kv"))
    }

    @Test("a note in the folder is read by the next process")
    func note() throws {
        var store = try store()
        #expect(store.noteFound == nil)
        for note in ["a long line", "short"] { store.write(note: note) }
        store.close()
        store = try self.store()
        #expect(store.noteFound == "short")
        #expect(store.scopes.isEmpty)
        store.close()
        #expect(log.lines.isEmpty)
    }

    @Test("a running answer of a removed conversation leaves nothing")
    func forgettingWhileAnswering() async throws {
        let events = events
        let reference = EngineReference()
        let store = try store()
        let engine = try Engine(
            model: model,
            configuration: .init(prefillChunk: 4),
            pages: store
        ) { batch in
            for case .progress(_, let done, _) in batch where done == 8 {
                reference.use { $0.forget(["a"]) }
            }
            events.sink(batch)
        }
        reference.set(engine)
        let question = ["What is the capital of Finland?"]
        let first = try await ask(engine, question, scope: "a")
        #expect(first.completion != nil)
        #expect(cachedCount(try await ask(engine, question, scope: "a")) == 0)
        engine.shutdown()
        store.close()
        #expect(store.scopes.isEmpty)
    }

    @Test("a conversation removed during shutdown is not on disk afterwards")
    func forgettingAtTheEnd() async throws {
        let events = events
        let reference = EngineReference()
        let store = try store()
        let engine = try Engine(
            model: model,
            configuration: .init(prefillChunk: 4),
            pages: store
        ) { batch in
            for event in batch {
                switch event {
                case .progress: reference.use { $0.shutdown() }
                case .finished: reference.use { $0.forget(["a"]) }
                case .started, .text, .failed: break
                }
            }
            events.sink(batch)
        }
        reference.set(engine)
        let answer = try await ask(engine, ["What is the capital of Finland?"], scope: "a")
        #expect(answer.completion?.finish == .stopped)
        engine.shutdown()
        store.close()
        #expect(store.scopes.isEmpty)
    }

    @Test("a published prompt is not left in the file of a removed conversation")
    func forgettingPublished() async throws {
        let events = events
        let reference = EngineReference()
        let store = try store()
        let engine = try Engine(model: model, pages: store) { batch in
            for case .finished in batch { reference.use { $0.forget(["a"]) } }
            events.sink(batch)
        }
        reference.set(engine)
        var request = request([String(repeating: "Be kind. ", count: 30)], scope: "a")
        request.publishedCount = request.prompt.count
        try #require(request.prompt.count > 64)
        try engine.submit(request)
        _ = await events.answer()
        engine.shutdown()
        store.close()
        #expect(store.scopes.isEmpty)
    }

    @Test(
        "a folder that is not wanted any more goes, but not another process's; what stays is told"
    )
    func removedFolder() async throws {
        _ = try await live(["Who are you?"])
        let store = try store()
        removeFolder()
        #expect(FileManager.default.fileExists(atPath: "\(path)/a.kv"))
        #expect(log.lines.count == 1)
        #expect(log.lines.last?.contains("another process keeps pages in \(path)") == true)
        store.close()
        removeFolder()
        #expect(!FileManager.default.fileExists(atPath: path))
        removeFolder()
        #expect(log.lines.count == 1)
        // A file instead of the folder.
        try Data("no folder".utf8).write(to: URL(filePath: path))
        removeFolder()
        #expect(log.lines.count == 2)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    private func removeFolder() { PageStore.removeFolder(path) { [log] in log.write($0) } }
}
