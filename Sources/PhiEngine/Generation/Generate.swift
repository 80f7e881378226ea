// The three forms of `generate`: all tokens so far, token by token, a stream of text.

/// Generates an answer on the calling thread.
///
/// - Parameters:
///   - input: the prompt, from `context.processor.prepare` or of the program's own tokens.
///   - parameters: how tokens are drawn.
///   - context: the model.
///   - didGenerate: gets all tokens of the answer so far, after each one, and says whether to go
///     on.
/// - Returns: the answer. It ends early where the task is cancelled.
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

/// Generates an answer on the calling thread, token by token. A closure that fits both this form and
/// the one above means the one above.
///
/// - Parameters:
///   - input: the prompt, from `context.processor.prepare` or of the program's own tokens.
///   - parameters: how tokens are drawn.
///   - context: the model.
///   - didGenerate: gets each token of the answer, and says whether to go on.
/// - Returns: the answer's figures. It ends early where the task is cancelled.
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

/// Generates an answer as a stream, on a thread of its own.
///
/// The generation ends when nobody reads the stream any more. A stream that ends without `.info`
/// tells of a generation that failed half-way, which only a damaged model does: the type, MLX's, has
/// no place for an error.
///
/// - Parameters:
///   - input: the prompt, from `context.processor.prepare` or of the program's own tokens.
///   - parameters: how tokens are drawn.
///   - context: the model.
/// - Returns: the answer's text in pieces, then `.info`.
/// - Throws: `.invalidInput` and `.invalidParameters`, before anything is computed.
public func generate(
    input: LMInput,
    parameters: GenerateParameters,
    context: ModelContext
) throws(PhiEngineError) -> AsyncStream<Generation> {
    try GenerationPlan(input, parameters, context).stream()
}
