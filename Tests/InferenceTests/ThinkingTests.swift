// The budget of thinking parts. The demo model does not think: an answer is given the opening tag as its
// beginning, and the model goes on with any words.

import Checkpoints
import Inference
import Testing
import ThinkingText
import Tokenizers

@Suite("Thinking parts of answers")
struct ThinkingTests {
    private let model: LoadedModel

    init() throws { model = try DemoModel.load() }

    /// A request for an answer that begins with thinking.
    private func request(
        _ budget: Int?,
        after beginning: String = "<think>Once upon a",
        sampling: SamplingParameters = .greedy
    ) throws -> GenerationRequest {
        let given = model.tokenizer.encodeThinking(beginning) {
            model.tokenizer.encode($0, specialTokens: .asText)
        }
        var request = model.request(
            1,
            "Tell me a long story.",
            sampling: sampling,
            maxNewTokens: 60
        )
        request.answerPrefix = given
        request.givenCount = given.count
        request.thinkingTokensMax = budget
        return request
    }

    private func generate(_ request: GenerationRequest) throws -> (String, Completion) {
        var text = model.tokenizer.decode(request.answerPrefix, keepSpecial: false)
        let completion = try model.generate(request) { text += $0 }
        return (text, completion)
    }

    @Test("a thinking part is closed when its budget is used up", arguments: [0, 1, 3, 20])
    func closes(budget: Int) throws {
        let request = try request(budget, after: "<think>")
        let (text, completion) = try generate(request)
        let parts = ThinkingParts(text)
        #expect(!parts.isOpen)
        #expect(completion.thinkingTokens == budget)
        #expect(completion.thinkingTime != nil)
        #expect(text.contains("</think>"))
    }

    @Test("a part that the model closes in time is not touched, nor an answer without one")
    func unlimited() throws {
        let whole = try generate(try request(nil))
        #expect(whole.1.thinkingTokens ?? 0 > 15)
        #expect(try generate(try request(1000)).0 == whole.0)
        let closed = "<think>Let me see.</think>"
        let free = try generate(try request(nil, after: closed))
        #expect(try generate(try request(0, after: closed)).0 == free.0)
        var plain = model.request(1, "What is the capital of Finland?")
        let text = try generate(plain).0
        plain.thinkingTokensMax = 0
        let (same, completion) = try generate(plain)
        #expect(same == text)
        #expect(completion.thinkingTokens == nil)
    }

    @Test("the run can be replayed from its receipt, greedy and with a seed")
    func replay() throws {
        for sampling in [.greedy, try SamplingParameters(temperature: 1.5, seed: 3)] {
            let request = try request(7, sampling: sampling)
            let receipt = try #require(try generate(request).1.receipt)
            #expect(receipt.answer.thinkingTokensMax == 7)
            #expect(
                try model.replay(receipt, prompt: request.prompt)
                    == .same(tokenCount: receipt.answer.ids.count)
            )
        }
    }

    @Test("an answer resumes after every token as if it had not been interrupted")
    func resumes() throws {
        let request = try request(6, sampling: try SamplingParameters(temperature: 0.8, seed: 8))
        let completion = try generate(request).1
        let whole = try #require(completion.receipt).answer.ids
        #expect(completion.thinkingTokens == 6)
        for count in request.givenCount...whole.count {
            var part = request
            part.answerPrefix = Array(whole[..<count])
            let resumed = try generate(part).1
            #expect(try #require(resumed.receipt).answer.ids == whole, "from \(count)")
            #expect(resumed.thinkingTokens == 6)
        }
    }

    @Test("a character is not cut by the budget")
    func characters() throws {
        let tea = model.tokenizer.encode("🍵", specialTokens: .asText)
        try #require(tea.count > 2)
        var request = try request(1)
        request.answerPrefix += tea.prefix(2)
        let ids = request.answerPrefix
        let answer = try #require(try generate(request).1.receipt).answer.ids
        // The model chooses what ends the character; only then is the part closed.
        let closing = model.tokenizer.thinkingTag("</think>")
        #expect(!answer[ids.count...].starts(with: closing))
    }

    @Test("the tags of a beginning are encoded where they stand for the part, and nowhere else")
    func encoding() throws {
        let tokenizer = model.tokenizer
        func encode(_ text: String) -> [TokenID] {
            tokenizer.encodeThinking(text) { tokenizer.encode($0, specialTokens: .asText) }
        }
        for text in ["Hi", "<think>a", "<think>a</think>\n\nb</think>", "a <think>"] {
            #expect(tokenizer.decode(encode(text), keepSpecial: false) == text)
        }
        #expect(encode("a <think>") == tokenizer.encode("a <think>", specialTokens: .asText))
    }
}
