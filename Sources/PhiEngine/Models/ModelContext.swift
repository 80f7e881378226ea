// What a program works with inside `ModelContainer.perform`.

/// A model and what belongs to it.
public struct ModelContext: Sendable {
    /// What was asked for.
    public var configuration: ModelConfiguration
    /// The weights; `generate` computes with them.
    public var model: Phi3Model
    /// Turns messages into what the model reads.
    public var processor: any UserInputProcessor
    /// Text to tokens and back.
    public var tokenizer: any Tokenizer

    /// Parts that belong together; a program may put in a processor of its own.
    public init(
        configuration: ModelConfiguration,
        model: Phi3Model,
        processor: any UserInputProcessor,
        tokenizer: any Tokenizer
    ) {
        self.configuration = configuration
        self.model = model
        self.processor = processor
        self.tokenizer = tokenizer
    }
}
