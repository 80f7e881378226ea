// The model types with MLX's names.

import Checkpoints
import Inference
import PhiModel

/// A model that generates text.
public protocol LanguageModel: Sendable {
    /// The number of weights before quantization, including norms.
    func numParameters() -> Int
}

/// A model of the phi3 family: Phi-3, Phi-3.5 and Phi-4. Cheap to copy; any number of generations may use
/// it concurrently.
public struct Phi3Model: LanguageModel {
    /// Frees the pooled sessions of a model when its last copy is released.
    private final class Lifetime: Sendable {
        let model: PhiModel

        init(_ model: PhiModel) {
            self.model = model
        }

        deinit {
            SessionPool.shared.removeAll(of: model)
        }
    }

    let loaded: LoadedModel
    private let lifetime: Lifetime

    init(_ loaded: LoadedModel) {
        self.loaded = loaded
        lifetime = Lifetime(loaded.model)
    }

    /// The number of weights before quantization, including norms.
    public func numParameters() -> Int {
        loaded.model.configuration.parameterCount
    }
}
