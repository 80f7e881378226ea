// A loaded model, shared by views and tasks; it computes on its own thread, so it blocks no other.

import Synchronization

/// A model that any task may use.
///
/// `perform` runs its closure on a thread of the container, so a long answer blocks neither the main
/// actor nor Swift's task pool. Synchronous parts of two `perform` calls never overlap; at an `await`
/// another call may run, as in an actor.
public final class ModelContainer: Sendable {
    private let state: Mutex<ModelContext>
    private let executor = BlockingExecutor(label: "model")

    /// A container for a loaded model.
    public init(context: ModelContext) {
        state = Mutex(context)
    }

    /// The model and its parts.
    var context: ModelContext { state.withLock { $0 } }

    /// The configuration that was loaded.
    public var configuration: ModelConfiguration { context.configuration }

    /// Converts messages to the model's input.
    public var processor: any UserInputProcessor { context.processor }

    /// Converts text to tokens and back.
    public var tokenizer: any Tokenizer { context.tokenizer }

    /// Runs `action` with the model.
    /// - Returns: what `action` returns.
    /// - Throws: what `action` throws.
    public func perform<R>(
        _ action: @concurrent @Sendable (ModelContext) async throws -> sending R
    ) async rethrows -> sending R {
        let context = context
        return try await withTaskExecutorPreference(executor) {
            try await action(context)
        }
    }

    /// Runs `action` with the model and a value.
    /// - Returns: what `action` returns.
    /// - Throws: what `action` throws.
    public func perform<V: Sendable, R>(
        values: V,
        _ action: @concurrent @Sendable (ModelContext, V) async throws -> sending R
    ) async rethrows -> sending R {
        let context = context
        return try await withTaskExecutorPreference(executor) {
            try await action(context, values)
        }
    }

    /// Changes the model's parts, such as the stop tokens of its configuration, for calls from now on.
    public func update(_ action: @Sendable (inout ModelContext) -> Void) async {
        state.withLock { action(&$0) }
    }

    /// Converts messages to the model's input.
    /// - Throws: `PhiEngineError.invalidInput`.
    public func prepare(input: UserInput) async throws -> LMInput {
        try await context.processor.prepare(input: input)
    }

    /// Generates an answer as a stream; see the global function.
    /// - Throws: `PhiEngineError`.
    public func generate(
        input: LMInput,
        parameters: GenerateParameters
    ) throws -> AsyncStream<Generation> {
        try PhiEngine.generate(input: input, parameters: parameters, context: context)
    }

    /// The tokens of `text`; see `Tokenizer.encode(text:addSpecialTokens:)`.
    public func encode(_ text: String) async -> [Int] {
        tokenizer.encode(text: text)
    }

    /// The text of `tokenIds`, with special tokens by name.
    public func decode(tokenIds: [Int]) async -> String {
        tokenizer.decode(tokenIds: tokenIds)
    }

    /// `decode(tokenIds:)` under the name of the releases before 3.
    public func decode(tokens: [Int]) async -> String {
        await decode(tokenIds: tokens)
    }

    /// The prompt for a conversation in the model's chat format.
    /// - Throws: `PhiEngineError.invalidInput`.
    public func applyChatTemplate(messages: [[String: String]]) async throws -> [Int] {
        try tokenizer.applyChatTemplate(messages: messages)
    }
}
