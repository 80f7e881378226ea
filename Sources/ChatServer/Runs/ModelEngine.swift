// A model that answers: its engine, and how its prompts are built.

import ChatCore
import ConstrainedText
package import Inference
import PhiModel
import Tokenizers

/// One model of the pool, ready to answer.
package struct ModelEngine {
    /// The model's name for clients.
    package let name: String
    /// Identifies what generates its answers: another model does not go on with their tokens.
    let identity: String
    /// The engine that generates the answers.
    package let engine: any InferenceEngine
    /// The adapter that changes the engine's model in its answers; nil for none.
    let adapter: LoadedAdapter?
    /// Builds prompts for the model.
    private(set) var promptBuilder: PromptBuilder
    /// Encodes a text that the model continues.
    let encode: @Sendable (String) -> [Int32]
    /// The same of a text in which the mark of calls is the model's token.
    let encodeCalls: @Sendable (String) -> [Int32]
    /// Whether its template, applied here, tells the model of tools.
    let knowsTools: Bool
    /// The tokens of the model; nil if remote engines answer whose tokenizer is not here.
    let vocabulary: Vocabulary?
    /// How many tokens suffice for an answer with a form, on any thread but a loop's; nil if that is
    /// not known, since remote engines answer.
    let tokensNeeded: (@Sendable (AnswerConstraint, [Int32]) throws(ConstraintError) -> Int)?
    /// Whether the engine closes thinking parts that are too long.
    var limitsThinking: Bool { tellsTokens }
    /// Whether the engine tells the tokens that it generates. If not, a text that an answer resumes
    /// from is encoded again.
    let tellsTokens: Bool
    /// Maximum tokens of prompt and answer together.
    private(set) var contextLength: Int

    /// The tokens of a model.
    struct Vocabulary: Sendable {
        let tokenizer: Tokenizer

        /// Whether there is a token.
        func hasToken(_ token: Int32) -> Bool { tokenizer.hasToken(token) }

        /// The bytes of a token.
        func bytes(of token: Int32) -> [UInt8] { tokenizer.bytes(of: token) }

        /// The text of tokens, with the names of special ones.
        func text(of tokens: [Int32]) -> String { tokenizer.decode(tokens, keepSpecial: true) }
    }

    init(
        _ model: LoadedModel,
        name: String,
        contextLimit: Int,
        engine: any InferenceEngine,
        adapter: LoadedAdapter? = nil
    ) {
        self.name = name
        let weights = model.identity.hash ?? model.identity.name
        identity = adapter.map { "\(weights)+\($0.identity.hash)" } ?? weights
        self.engine = engine
        self.adapter = adapter
        let tokenizer = model.tokenizer
        encode = { tokenizer.encode($0, specialTokens: .asText) }
        let template = model.template
        encodeCalls = { template.encodeCalls($0) }
        knowsTools = template.toolForm != nil
        vocabulary = Vocabulary(tokenizer: tokenizer)
        let constraints = model.constraints
        tokensNeeded = { constraint, beginning throws(ConstraintError) in
            try constraints.tokensNeeded(for: constraint, after: beginning)
        }
        tellsTokens = true
        contextLength = min(model.model.contextLength, contextLimit)
        promptBuilder = PromptBuilder(
            encoding: TemplateEncoding(template: template),
            contextLength: contextLength
        )
    }

    /// A model that remote engines answer for.
    init(
        remote name: String,
        encoding: any PromptEncoding,
        encode: @escaping @Sendable (String) -> [Int32],
        encodeCalls: @escaping @Sendable (String) -> [Int32],
        knowsTools: Bool,
        vocabulary: Vocabulary?,
        contextLength: Int,
        engine: any InferenceEngine
    ) {
        self.name = name
        identity = "remote:\(name)"
        self.engine = engine
        adapter = nil
        self.encode = encode
        self.encodeCalls = encodeCalls
        self.knowsTools = knowsTools
        self.vocabulary = vocabulary
        tokensNeeded = nil
        tellsTokens = false
        self.contextLength = contextLength
        promptBuilder = PromptBuilder(encoding: encoding, contextLength: contextLength)
    }

    /// Encodes the beginning of an answer: the tags of its thinking part are the model's tokens.
    /// - Parameter hasTools: whether the answer may have calls.
    /// - Returns: the function, for any thread.
    func encodeAnswer(hasTools: Bool) -> @Sendable (String) -> [Int32] {
        let encode = hasTools ? encodeCalls : encode
        guard let tokenizer = vocabulary?.tokenizer else { return encode }
        return { tokenizer.encodeThinking($0, encode) }
    }

    /// The form that answers with these options have; nil for any text. Calls of functions have one in
    /// models that run here, unless a stop string could end them.
    func constraint(of options: CompletionOptions, stop: [String]?) -> AnswerConstraint? {
        if let format = options.format { return format.constraint }
        guard knowsTools, tokensNeeded != nil, (stop ?? []).isEmpty else { return nil }
        return options.tools?.constraint
    }

    /// The prompt of a request without a chat template.
    /// - Parameters:
    ///   - raw: what the request had.
    ///   - message: its question.
    ///   - maxNewTokens: maximum length of the answer, in tokens.
    /// - Returns: the prompt.
    /// - Throws: `PromptError.newestTurnTooLong`.
    func prompt(
        _ raw: RawPrompt,
        _ message: PromptMessage,
        maxNewTokens: Int
    ) throws(PromptError) -> Prompt {
        let tokens =
            switch raw {
            case .text: encode(message.text)
            case .tokens(let tokens): tokens
            }
        return try promptBuilder.raw(tokens, of: message, maxNewTokens: maxNewTokens)
    }

    /// The same model with another context.
    func having(contextLength: Int) -> ModelEngine {
        var engine = self
        engine.contextLength = contextLength
        engine.promptBuilder = PromptBuilder(
            encoding: promptBuilder.encoding,
            contextLength: contextLength
        )
        return engine
    }

    /// The largest number of messages that fit into a context: each needs a token, and a few for
    /// the template.
    var messageLimit: Int { max(16, contextLength / 3) }
}
