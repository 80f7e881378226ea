import Checkpoints
import Glibc
import Inference
import Testing
import Tokenizers

@Suite("The probability of a sampled token")
struct SampledTokenTests {
    private let model: LoadedModel
    private let events = EventLog()

    init() throws { model = try DemoModel.load() }

    private func answers(_ requests: [GenerationRequest]) async throws -> [UInt64: Answer] {
        let engine = try Engine(model: model, sink: events.sink)
        for request in requests { try engine.submit(request) }
        defer { withExtendedLifetime(engine) {} }
        return await events.answers(requests.count)
    }

    @Test("is the share of the softmax, and the likeliest tokens come first")
    func table() {
        // Shares of 8, 4, 2, 1 and 1 sixteenths.
        let logits: [Float] = [4, 2, 8, 1, 1].map { logf($0) }
        let all = SamplableTokens(count: 5)
        let sampled = SampledToken(3, in: logits, all, topCount: 3)
        func expect(_ token: RatedToken, _ id: TokenID, _ share: Double) {
            #expect(token.token == id && abs(Double(token.logprob) - log(share)) < 1e-6)
        }
        expect(sampled.token, 3, 1.0 / 16)
        #expect(sampled.top.count == 3)
        for (token, (id, share)) in zip(sampled.top, [(2, 0.5), (0, 0.25), (1, 0.125)]) {
            expect(token, TokenID(id), share)
        }
        // Rows without a token or a finite number have no share.
        let some = SamplableTokens(vocabularyCount: 5) { $0 != 2 }
        expect(SampledToken(0, in: logits, some, topCount: 0).token, 0, 0.5)
        let odd = SampledToken(1, in: [.nan, 0, .infinity, 0, -.infinity], all, topCount: 5)
        expect(odd.token, 1, 0.5)
        #expect(odd.top.map(\.token) == [1, 3])
    }

    @Test("is told with the text, and changes no token")
    func answer() async throws {
        let wild = try SamplingParameters(temperature: 1.5, frequencyPenalty: 1, seed: 5)
        var requests = [
            model.request(1, "Tell me a long story."),
            model.request(3, "Tell me a long story.", sampling: wild),
        ]
        for request in requests {
            var rated = request
            rated.id += 1
            rated.topLogprobs = rated.id == 2 ? 5 : 0
            requests.append(rated)
        }
        let answers = try await answers(requests)
        for id in [1, 3] as [UInt64] {
            let (plain, rated) = try (#require(answers[id]), #require(answers[id + 1]))
            #expect(plain.sampled.isEmpty && rated.text == plain.text)
            #expect(rated.tokens == plain.tokens)
            #expect(rated.sampled.map(\.token.token) == rated.tokens.joined().map(\.self))
            let bytes = rated.sampled.flatMap { model.tokenizer.bytes(of: $0.token.token) }
            #expect(String(decoding: bytes, as: UTF8.self) == plain.text)
            #expect(rated.sampled.allSatisfy { $0.token.logprob <= 0 })
        }
        // Greedy: the token is the likeliest one.
        let greedy = try #require(answers[2]).sampled
        #expect(greedy.allSatisfy { $0.top.count == 5 && $0.top[0] == $0.token })
        let isSorted = greedy.allSatisfy { token in
            zip(token.top, token.top.dropFirst()).allSatisfy { $0.logprob >= $1.logprob }
        }
        #expect(isSorted)
    }
}
