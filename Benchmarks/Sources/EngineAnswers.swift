// Answers of a real model, one by one, as in `stoa generate`.

import Inference
import Tokenizers

/// Measures decoding and prompt processing.
struct EngineAnswers {
    let model: LoadedModel
    let count: Int

    func run() throws {
        var decode = Sample()
        var prefill = Sample()
        let long = String(repeating: "The long winter night is quiet. ", count: 100)
        for _ in 0..<count {
            let story = try answer("Tell me a long story.", tokensMax: 400)
            decode.add(story.tokensPerSecond ?? 0)
            let read = try answer(long, tokensMax: 1)
            let seconds = read.timeToFirstToken?.inSeconds ?? 0
            if seconds > 0 { prefill.add(Double(read.promptTokens) / seconds) }
        }
        report("engine_decode_tokens_per_second", decode.median)
        report("engine_prompt_tokens_per_second", prefill.median)
    }

    private func answer(_ question: String, tokensMax: Int) throws -> Completion {
        try model.generate(
            messages: [ChatMessage(role: "user", content: question)],
            maxNewTokens: tokensMax,
            onText: { _ in }
        )
    }
}
