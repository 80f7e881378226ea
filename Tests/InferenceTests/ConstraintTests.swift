// Answers that must have a form, by the demo model, which knows nothing of forms.

import Checkpoints
import ConstrainedText
import Inference
import JSONText
import TestSupport
import Testing

@Suite("Answers with a form")
struct ConstraintTests {
    private let model: LoadedModel
    private let log = EventLog()

    init() throws {
        model = try DemoModel.load()
    }

    private func request(
        _ id: UInt64,
        _ constraint: AnswerConstraint,
        maxNewTokens: Int,
        temperature: Double = 1
    ) throws -> GenerationRequest {
        var request = model.request(
            id,
            "What is the capital of Finland?",
            sampling: try SamplingParameters(temperature: temperature, seed: id),
            maxNewTokens: maxNewTokens
        )
        request.constraint = constraint
        return request
    }

    /// Runs requests concurrently.
    private func run(_ requests: [GenerationRequest]) async throws -> [UInt64: Answer] {
        let engine = try Engine(
            model: model,
            configuration: EngineConfiguration(slots: 4, queueLimit: requests.count),
            sink: log.sink
        )
        for request in requests { try engine.submit(request) }
        let answers = await log.answers(requests.count)
        engine.shutdown()
        return answers
    }

    private func value(of text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8))
    }

    @Test("every answer is valid, at any number of tokens that suffices")
    func schemas() async throws {
        // Additional properties may have the same name, which this parser of JSON refuses.
        var random = RandomSchema(seed: 22, allowsAdditional: false)
        var schemas: [UInt64: String] = [:]
        var requests: [GenerationRequest] = []
        for id in 0..<UInt64(50) {
            let schema = random.next()
            schemas[id] = schema
            let needed = try model.tokensNeeded(for: .jsonSchema(schema))
            requests.append(
                try request(
                    id,
                    .jsonSchema(schema),
                    maxNewTokens: needed + [0, 1, 7, 40, 120][Int(id % 5)]
                )
            )
        }
        for (id, answer) in try await run(requests) {
            let schema = try #require(schemas[id])
            #expect(answer.finish == .stop || answer.finish == .length)
            let value = try value(of: answer.text)
            #expect(try SchemaValidator(schema).isValid(value), "\(schema): \(answer.text)")
        }
    }

    @Test("an answer at its token limit says so, and still has the form")
    func limit() async throws {
        let form = AnswerConstraint.jsonSchema(#"{"type":"array","items":{"type":"string"}}"#)
        let answer = try #require(try await run([try request(1, form, maxNewTokens: 9)])[1])
        #expect(answer.finish == .length)
        #expect(answer.completion?.completionTokens == 9)
        #expect(try value(of: answer.text).array != nil)
    }

    @Test("an answer continues with the same text from every token")
    func takeover() async throws {
        let form = AnswerConstraint.jsonSchema(
            #"{"properties":{"city":{"type":"string","maxLength":20},"size":{"type":"integer"}},"#
                + #""required":["city","size"],"additionalProperties":false}"#
        )
        let whole = try #require(try await run([try request(7, form, maxNewTokens: 60)])[7])
        let ids = try #require(whole.completion?.receipt).answer.ids
        #expect(ids.count > 5)
        var parts: [GenerationRequest] = []
        for count in 0...ids.count {
            var part = try request(7, form, maxNewTokens: 60)
            part.id = UInt64(100 + count)
            part.answerPrefix = Array(ids.prefix(count))
            parts.append(part)
        }
        for (_, answer) in try await run(parts) {
            #expect(answer.completion?.receipt?.answer.ids == ids)
            #expect(answer.finish == whole.finish)
        }
    }

    @Test("drafts are accepted only where the form allows them")
    func drafts() async throws {
        let form = AnswerConstraint.jsonSchema(
            #"{"type":"array","items":{"enum":["Helsinki","Turku"]},"minItems":20,"maxItems":20}"#
        )
        let asked = try request(3, form, maxNewTokens: 300, temperature: 0)
        var texts: [String] = []
        for speculates in [true, false] {
            var text = ""
            let configuration = try EngineConfiguration(speculates: speculates)
            let completion = try model.generate(asked, configuration: configuration) { text += $0 }
            #expect(completion.finish == .stop || completion.finish == .length)
            texts.append(text)
        }
        #expect(texts[0] == texts[1])
        #expect(try value(of: texts[0]).array?.count == 20)
    }

    @Test("a receipt has the form, and repeats the answer")
    func receipt() async throws {
        let asked = try request(5, .pattern("[a-z]{3,9}, [A-Z][a-z]+!"), maxNewTokens: 30)
        var text = ""
        let completion = try model.generate(asked) { text += $0 }
        let receipt = try #require(completion.receipt)
        #expect(receipt.answer.constraint == asked.constraint)
        let replay = try model.replay(receipt, prompt: asked.prompt)
        #expect(replay == .same(tokenCount: receipt.answer.ids.count))
        let matcher = TextMatcher(try CompiledConstraint(.pattern("[a-z]{3,9}, [A-Z][a-z]+!")))
        #expect(matcher.matches(text.utf8))
    }

    @Test("a form that is not supported fails the request with its place")
    func refused() async throws {
        let form = AnswerConstraint.jsonSchema(#"{"type":"object","not":{}}"#)
        let error = #expect(throws: ConstraintError.self) { try model.tokensNeeded(for: form) }
        #expect(error?.pointer == "/not")
        let answer = try #require(try await run([try request(1, form, maxNewTokens: 9)])[1])
        guard case .failed(_, .invalidRequest) = answer.events.last else {
            Issue.record("it did not fail")
            return
        }
    }

    @Test("a request with fewer tokens than its form needs fails with their number")
    func tooShort() async throws {
        let form = AnswerConstraint.jsonSchema(#"{"type":"string","minLength":100}"#)
        let needed = try model.tokensNeeded(for: form)
        #expect(needed > 10)
        let answer = try #require(try await run([try request(1, form, maxNewTokens: 10)])[1])
        guard case .failed(_, .invalidRequest(let reason)) = answer.events.last else {
            Issue.record("it did not fail")
            return
        }
        #expect(reason.contains("\(needed)"))
    }

    @Test("a stop string beside a form is refused")
    func stopString() async throws {
        var asked = try request(1, .jsonObject, maxNewTokens: 10)
        asked.stopStrings = ["}"]
        #expect(throws: EngineError.self) { try model.generate(asked) { _ in } }
    }
}
