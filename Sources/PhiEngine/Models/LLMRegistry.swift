// The models of this family by the names that MLX programs use.

/// Known models. Other models of the family work by their name on the hub.
public struct LLMRegistry: Sendable {
    /// The registry.
    public static let shared = LLMRegistry()

    /// Phi-3-mini with a context of 4,096 tokens, in 4 bit.
    public static let phi3_mini_4bit = ModelConfiguration(
        id: "mlx-community/Phi-3-mini-4k-instruct-4bit",
        defaultPrompt: "Why do we see the same side of the moon?",
        extraEOSTokens: ["<|end|>"]
    )

    /// Phi-3-mini with a context of 131,072 tokens, in 4 bit.
    public static let phi3_mini_128k_4bit = ModelConfiguration(
        id: "mlx-community/Phi-3-mini-128k-instruct-4bit",
        defaultPrompt: "Why do we see the same side of the moon?",
        extraEOSTokens: ["<|end|>"]
    )

    /// Phi-3.5-mini in 4 bit.
    public static let phi3_5_4bit = ModelConfiguration(
        id: "mlx-community/Phi-3.5-mini-instruct-4bit",
        defaultPrompt: "How strong is gravity on Mars?",
        extraEOSTokens: ["<|end|>"]
    )

    /// Phi-4-mini in 4 bit.
    public static let phi4_mini_4bit = ModelConfiguration(
        id: "mlx-community/Phi-4-mini-instruct-4bit",
        defaultPrompt: "What makes a good question?",
        extraEOSTokens: ["<|end|>"]
    )

    /// Phi-4-mini-reasoning in 4 bit.
    public static let phi4_mini_reasoning_4bit = ModelConfiguration(
        id: "mlx-community/Phi-4-mini-reasoning-4bit",
        defaultPrompt: "How many primes are there below 30?",
        extraEOSTokens: ["<|end|>"]
    )

    /// phi-4 (14B) in 4 bit.
    public static let phi4_4bit = ModelConfiguration(
        id: "mlx-community/phi-4-4bit",
        defaultPrompt: "What makes a good question?",
        extraEOSTokens: ["<|im_end|>"]
    )

    /// Phi-3.5-MoE in 4 bit.
    public static let phi3_5MoE = ModelConfiguration(
        id: "mlx-community/Phi-3.5-MoE-instruct-4bit",
        defaultPrompt: "What is the gravity on Mars and the moon?",
        extraEOSTokens: ["<|end|>"]
    )

    /// Phi-2 in 4 bit. Its folder needs a chat_template.jinja, which the hub's has not.
    public static let phi4bit = ModelConfiguration(
        id: "mlx-community/phi-2-hf-4bit-mlx",
        defaultPrompt: "Why is the sky blue?"
    )

    /// The models with short names in `stoa model pull`.
    public var models: [ModelConfiguration] {
        [
            Self.phi3_mini_4bit, Self.phi3_mini_128k_4bit, Self.phi3_5_4bit, Self.phi4_mini_4bit,
            Self.phi4_mini_reasoning_4bit, Self.phi4_4bit,
        ]
    }

    /// Whether a model with this name is known.
    public func contains(id: String) -> Bool {
        models.contains { $0.name == id }
    }

    /// The known model with this name, or else a plain configuration for it.
    public func configuration(id: String) -> ModelConfiguration {
        models.first { $0.name == id } ?? ModelConfiguration(id: id)
    }
}

/// The registry's name in the first releases.
public typealias ModelRegistry = LLMRegistry
