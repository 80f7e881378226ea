// The model types with MLX's names.

import Checkpoints
import Inference
import PhiModel
import Synchronization

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

    /// The adapter of all copies that share it.
    private final class AdapterPlace: Sendable {
        let adapter: Mutex<LoadedAdapter?>

        init(_ adapter: LoadedAdapter?) {
            self.adapter = Mutex(adapter)
        }
    }

    let loaded: LoadedModel
    private let lifetime: Lifetime
    private let place: AdapterPlace

    init(_ loaded: LoadedModel) {
        self.loaded = loaded
        lifetime = Lifetime(loaded.model)
        place = AdapterPlace(nil)
    }

    /// The weights of `model` with an adapter of its own; nil for none.
    init(_ model: Phi3Model, adapter: LoadedAdapter?) {
        loaded = model.loaded
        lifetime = model.lifetime
        place = AdapterPlace(adapter)
    }

    /// The adapter of the next answers; nil for none.
    var adapter: LoadedAdapter? {
        get { place.adapter.withLock { $0 } }
        nonmutating set { place.adapter.withLock { $0 = newValue } }
    }

    /// The number of weights before quantization, including norms.
    public func numParameters() -> Int {
        loaded.model.configuration.parameterCount
    }
}
