// A loaded model, shared by views and tasks; it computes on its own thread, so it blocks no other.

/// A model that any task may use.
///
/// `perform` runs its closure on a thread of the container, so a long answer blocks neither the main
/// actor nor Swift's task pool. Synchronous parts of two `perform` calls never overlap; at an `await`
/// another call may run, as in an actor.
public final class ModelContainer: Sendable {
    let context: ModelContext
    private let executor = BlockingExecutor(label: "model")

    /// A container for a loaded model.
    public init(context: ModelContext) {
        self.context = context
    }

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
}
