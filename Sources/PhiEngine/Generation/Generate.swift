// The three forms of `generate`: with all tokens so far, with single tokens, as a stream of text.

/// Generates an answer on the calling thread.
///
/// - Parameters:
///   - input: the prompt, from `context.processor.prepare` or as the caller's own tokens.
///   - parameters: the sampling parameters.
///   - context: the model.
///   - didGenerate: called after each token with all tokens of the answer so far; returns whether to
///     continue.
/// - Returns: the answer, shorter if the task is cancelled.
/// - Throws: `.invalidInput`, `.invalidParameters`, `.generationFailed`.
public func generate(
    input: LMInput,
    parameters: GenerateParameters,
    context: ModelContext,
    didGenerate: ([Int]) -> GenerateDisposition
) throws(PhiEngineError) -> GenerateResult {
    var tokens: [Int] = []
    let info = try GenerationPlan(input, parameters, context).run { token in
        tokens.append(Int(token))
        return didGenerate(tokens)
    }
    return GenerateResult(
        inputText: input.text,
        tokens: tokens,
        output: context.tokenizer.decode(tokens: tokens),
        info: info
    )
}

/// Generates an answer on the calling thread, token by token. A closure that fits both this form and the
/// one above selects the one above.
///
/// - Parameters:
///   - input: the prompt, from `context.processor.prepare` or as the caller's own tokens.
///   - parameters: the sampling parameters.
///   - context: the model.
///   - didGenerate: called with each token of the answer; returns whether to continue.
/// - Returns: the answer's statistics. The answer is shorter if the task is cancelled.
/// - Throws: `.invalidInput`, `.invalidParameters`, `.generationFailed`.
@_disfavoredOverload
public func generate(
    input: LMInput,
    parameters: GenerateParameters,
    context: ModelContext,
    didGenerate: (Int) -> GenerateDisposition
) throws(PhiEngineError) -> GenerateCompletionInfo {
    try GenerationPlan(input, parameters, context).run { didGenerate(Int($0)) }
}

/// Generates an answer as a stream, on its own thread.
///
/// Generation ends when the stream is no longer read. A stream that ends without `.info` means that
/// generation failed, which only happens with a damaged model; the type is MLX's and cannot carry an
/// error.
///
/// - Parameters:
///   - input: the prompt, from `context.processor.prepare` or as the caller's own tokens.
///   - parameters: the sampling parameters.
///   - context: the model.
/// - Returns: chunks of the answer's text, then `.info`.
/// - Throws: `.invalidInput` and `.invalidParameters`, before any computation.
public func generate(
    input: LMInput,
    parameters: GenerateParameters,
    context: ModelContext
) throws(PhiEngineError) -> AsyncStream<Generation> {
    try GenerationPlan(input, parameters, context).stream()
}
