// The parts that a program uses inside `ModelContainer.perform`.

/// A model and its processor and tokenizer.
public struct ModelContext: Sendable {
    /// The configuration that was loaded.
    public var configuration: ModelConfiguration
    /// The weights; `generate` computes with them.
    public var model: Phi3Model
    /// Converts messages to the model's input.
    public var processor: any UserInputProcessor
    /// Converts text to tokens and back.
    public var tokenizer: any Tokenizer

    /// A context of parts that belong together; a program may use its own processor.
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
