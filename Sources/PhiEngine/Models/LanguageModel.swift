// The model as programs for MLX name it.

import Checkpoints
import Inference
import PhiModel

/// A model that generates text.
public protocol LanguageModel: Sendable {
    /// The number of weights, counted before quantization; norms included.
    func numParameters() -> Int
}

/// A model of the phi3 family: Phi-3, Phi-3.5 and Phi-4. Cheap to copy; any number of generations
/// may use it at the same time.
public struct Phi3Model: LanguageModel {
    /// Removes what was kept for a model when nobody can use it any more.
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

    /// The number of weights, counted before quantization; norms included.
    public func numParameters() -> Int {
        loaded.model.configuration.parameterCount
    }
}
