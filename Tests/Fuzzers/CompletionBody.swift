// Bodies of OpenAI's API: they are read, or refused with an error whose field is named; what is read
// asks for no more than the bounds allow.

import ChatCore
import ChatProtocol
import OpenAIProtocol

/// Reads a body as each kind of request. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readBody(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzerInput(start, count).raw)
    check { () throws(APIError) in
        let request = try ChatCompletionRequest(reading: bytes)
        return (request.settings, request.options, [request.question])
    }
    check { () throws(APIError) in
        let request = try TextCompletionRequest(reading: bytes)
        let texts = request.prompts.map { if case .text(let text) = $0 { text } else { "tokens" } }
        return (request.settings, request.options, texts)
    }
    check { () throws(APIError) in
        let request = try ResponseRequest(reading: bytes).completion
        return (request.settings, request.options, [request.question])
    }
    return 0
}

private func check(
    _ read: () throws(APIError) -> (GenerationSettings, CompletionOptions, [String])
) {
    do throws(APIError) {
        let (settings, options, texts) = try read()
        precondition(settings.violation == nil, "a setting out of bounds")
        precondition(texts.allSatisfy { !$0.isEmpty && !$0.utf8.contains(0) }, "an unusable text")
        precondition(options.logitBias.count <= CompletionOptions.logitBiasMax, "too many biases")
        let tokens = options.logitBias.map(\.token)
        precondition(zip(tokens, tokens.dropFirst()).allSatisfy { $0 < $1 }, "unordered biases")
    } catch {
        precondition(error.status == 400 && !error.message.isEmpty, "another error")
        precondition(!WireEncoding.text(error).isEmpty, "an error without JSON")
    }
}
