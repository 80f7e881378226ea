// Answers that continue from their first tokens, as after a takeover.

import Checkpoints
import Inference
import Testing
import Tokenizers

@Suite("Continued answers")
struct ContinuationTests {
    private let model: LoadedModel
    private let log = EventLog()

    init() throws {
        model = try DemoModel.load()
    }

    /// The text that an uninterrupted run had returned after `count` tokens.
    private func told(_ answer: Answer, after count: Int) -> String {
        zip(answer.pieces, answer.tokenCounts).filter { $1 <= count }.map(\.0).joined()
    }

    /// Runs a request, and then continues from each of its prefixes, concurrently.
    /// - Returns: the uninterrupted run, and the continued ones by the length of the prefix.
    private func run(_ request: GenerationRequest) async throws -> (Answer, [Int: Answer]) {
        let engine = try Engine(
            model: model,
            configuration: EngineConfiguration(slots: 5, prefillChunk: 13),
            sink: log.sink
        )
        try engine.submit(request)
        let whole = await log.answer()
        let ids = try #require(whole.completion?.receipt).answer.ids
        for count in 0...ids.count {
            var part = request
            part.id = UInt64(count)
            part.answerPrefix = Array(ids[..<count])
            try engine.submit(part)
        }
        let parts = await log.answers(ids.count + 1)
        return (whole, Dictionary(uniqueKeysWithValues: parts.map { (Int($0), $1) }))
    }

    /// Expects that each prefix leads to the same text and tokens.
    private func expectSame(_ whole: Answer, _ parts: [Int: Answer]) throws {
        let completion = try #require(whole.completion)
        let ids = try #require(completion.receipt).answer.ids
        for (count, part) in parts {
            let continued = try #require(part.completion)
            #expect(continued.receipt?.answer.ids == ids, "from \(count)")
            #expect(continued.finish == completion.finish, "from \(count)")
            #expect(continued.completionTokens == completion.completionTokens)
            #expect(continued.promptTokens == completion.promptTokens)
            if count < ids.count {
                #expect(told(whole, after: count) + part.text == whole.text, "from \(count)")
                #expect(ids[count...].starts(with: part.tokens.joined()))
            } else {
                // The prefix is complete: only text that was held back remains.
                #expect(whole.text.hasSuffix(part.text))
            }
        }
    }

    @Test("a greedy answer ends with the same text after every prefix")
    func greedy() async throws {
        for question in ["What is the capital of Finland?", "Who are you?"] {
            let (whole, parts) = try await run(model.request(1, question))
            #expect(whole.finish == .stop)
            #expect(parts.count > 5)
            try expectSame(whole, parts)
        }
    }

    @Test(
        "an answer with a seed ends with the same text after every prefix",
        arguments: [1, 2, 3] as [UInt64]
    )
    func seeded(seed: UInt64) async throws {
        let wild = try SamplingParameters(temperature: 2, repetitionPenalty: 1.2, seed: seed)
        let (whole, parts) = try await run(
            model.request(1, "Tell me a long story.", sampling: wild, maxNewTokens: 60)
        )
        try expectSame(whole, parts)
    }

    @Test("an incomplete character at the end of the prefix is preserved")
    func insideCharacters() async throws {
        let given = model.tokenizer.encode("Tea 🍵 – 茶!", specialTokens: .asText)
        let engine = try Engine(model: model, sink: log.sink)
        for count in given.indices {
            var request = model.request(UInt64(count), "Write a haiku.", maxNewTokens: 40)
            request.answerPrefix = Array(given[..<count])
            try engine.submit(request)
        }
        var splitCount = 0
        for (id, answer) in await log.answers(given.count) {
            var decoder = StreamingDecoder(model.tokenizer)
            let prefix = given[..<Int(id)].map { decoder.append($0) }.joined()
            if !decoder.finish().isEmpty { splitCount += 1 }
            let ids = try #require(answer.completion?.receipt).answer.ids
            #expect(prefix + answer.text == model.tokenizer.decode(ids, keepSpecial: false))
        }
        #expect(splitCount > 2)
    }

    @Test("sampling continues with the same random numbers")
    func selections() async throws {
        for sampling in [
            try SamplingParameters(temperature: 1, topP: 0.9, seed: 8),
            try SamplingParameters(temperature: 1.5, topK: 20, minP: 0.01, seed: 9),
            try SamplingParameters(temperature: 1, topK: 1, seed: 10),
            try SamplingParameters(
                temperature: 1,
                presencePenalty: 0.5,
                frequencyPenalty: 1,
                logitBias: [TokenBias(token: 50, bias: 2)],
                seed: 11
            ),
            try SamplingParameters(frequencyPenalty: 2),
        ] {
            let (whole, parts) = try await run(
                model.request(1, "Write a haiku.", sampling: sampling, maxNewTokens: 30)
            )
            try expectSame(whole, parts)
        }
    }

    @Test("an answer ends at a stop string that starts in the prefix")
    func stopStrings() async throws {
        let question = "What is the capital of Finland?"
        let text = try model.text(model.request(1, question))
        let stop = String(text.suffix(text.count / 2).prefix(8))
        let (whole, parts) = try await run(
            model.request(1, question, stopStrings: [stop, "never said"])
        )
        #expect(whole.finish == .stop)
        #expect(!whole.text.contains(stop))
        try expectSame(whole, parts)
    }

    @Test("stop strings are searched only after the given text")
    func givenText() async throws {
        let question = "What is the capital of Finland?"
        let whole = try model.text(model.request(1, question))
        let count = whole.count / 2
        let given = String(whole.prefix(count))
        let ids = model.tokenizer.encode(given, specialTokens: .asText)
        func goOn(_ stopStrings: [String]) throws -> (text: String, Completion) {
            var request = model.request(1, question, stopStrings: stopStrings)
            request.answerPrefix = ids
            request.givenCount = ids.count
            var text = ""
            let completion = try model.generate(request) { text += $0 }
            return (text, completion)
        }
        let plain = try goOn([])
        try #require(plain.text.count > 2)
        // What the given text holds ends nothing, nor what begins in it; and nothing of it is held back.
        let end = String(given.suffix(2))
        for stop in [given, end, end + plain.text.prefix(1), end + "\u{1F642}"] {
            guard !plain.text.contains(stop) else { continue }
            let (text, completion) = try goOn([stop])
            #expect(text == plain.text, "\(stop)")
            let receipt = try #require(completion.receipt)
            #expect(receipt.answer.continuedCount == ids.count)
            #expect(
                try model.replay(receipt, prompt: model.request(1, question).prompt)
                    == .same(tokenCount: receipt.answer.ids.count)
            )
        }
        let next = String(plain.text.prefix(2))
        #expect(try goOn([next]).text.isEmpty)
    }

    @Test("the token limit includes the prefix")
    func length() async throws {
        let (whole, parts) = try await run(
            model.request(1, "Tell me a long story.", maxNewTokens: 12)
        )
        #expect(whole.finish == .length)
        try expectSame(whole, parts)
        // Nothing is computed for a complete answer.
        #expect(parts[12]?.progress.isEmpty == true)
        #expect(parts[12]?.completion?.timeToFirstToken == nil)
    }

    @Test("each text event has the tokens from which the answer can be continued")
    func tokens() async throws {
        let wild = try SamplingParameters(temperature: 2, seed: 4)
        let engine = try Engine(model: model, sink: log.sink)
        try engine.submit(model.request(1, "Hello", sampling: wild, maxNewTokens: 80))
        let answer = await log.answer()
        let ids = try #require(answer.completion?.receipt).answer.ids
        #expect(ids.starts(with: answer.tokens.joined()))
        #expect(answer.tokens.allSatisfy { !$0.isEmpty })
    }

    @Test("the receipt has the length of the prefix, and can be replayed")
    func receipt() async throws {
        let request = model.request(1, "What is the capital of Finland?")
        let (whole, parts) = try await run(request)
        #expect(whole.completion?.receipt?.answer.givenCount == nil)
        let receipt = try #require(parts[3]?.completion?.receipt)
        #expect(receipt.answer.givenCount == 3)
        #expect(receipt.prompt.tokens == request.prompt.count)
        #expect(
            try model.replay(receipt, prompt: request.prompt)
                == .same(tokenCount: receipt.answer.ids.count)
        )
    }

    @Test("a prefix that is too long, or has invalid tokens, is refused")
    func refused() throws {
        let engine = try Engine(model: model, sink: { _ in })
        for prefix in [Array(repeating: 5, count: 9), [-1], [.max]] as [[TokenID]] {
            var request = model.request(1, "Hello", maxNewTokens: 8)
            request.answerPrefix = prefix
            #expect(throws: EngineError.self) { try engine.submit(request) }
        }
    }
}

extension LoadedModel {
    /// The complete answer to a request.
    fileprivate func text(_ request: GenerationRequest) throws -> String {
        var text = ""
        _ = try generate(request) { text += $0 }
        return text
    }
}
