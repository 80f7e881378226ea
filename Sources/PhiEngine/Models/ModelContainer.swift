// A loaded model for the whole program: views and tasks share it, and its work is done on a thread
// that blocks nobody else's.

/// A model that any task may use.
///
/// What `perform` runs is computed on a thread of the container's own, so that a long answer holds
/// up neither the main actor nor Swift's task pool. Synchronous parts of two `perform` never
/// overlap; at an `await` another one may come in between, as in an actor.
public final class ModelContainer: Sendable {
    let context: ModelContext
    private let executor = BlockingExecutor(label: "model")

    /// A container for a model that was loaded.
    public init(context: ModelContext) {
        self.context = context
    }

    /// What was asked for.
    public var configuration: ModelConfiguration { context.configuration }

    /// Turns messages into what the model reads.
    public var processor: any UserInputProcessor { context.processor }

    /// Text to tokens and back.
    public var tokenizer: any Tokenizer { context.tokenizer }

    /// Runs `action` with the model.
    /// - Returns: what `action` returns.
    /// - Throws: what `action` throws.
    public func perform<R>(
        _ action: @concurrent @Sendable (ModelContext) async throws -> sending R
    ) async rethrows -> sending R {
        try await withTaskExecutorPreference(executor) {
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
        try await withTaskExecutorPreference(executor) {
            try await action(context, values)
        }
    }

    /// Turns messages into what the model reads.
    /// - Throws: `PhiEngineError.invalidInput`.
    public func prepare(input: UserInput) async throws -> LMInput {
        try await context.processor.prepare(input: input)
    }

    /// Generates an answer as a stream; see the function of the same name.
    /// - Throws: `PhiEngineError`.
    public func generate(
        input: LMInput,
        parameters: GenerateParameters
    ) throws -> AsyncStream<Generation> {
        try PhiEngine.generate(input: input, parameters: parameters, context: context)
    }
}
