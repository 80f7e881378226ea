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
        let models: [PhiModel]

        init(_ models: [PhiModel]) {
            self.models = models
        }

        deinit {
            for model in models { SessionPool.shared.removeAll(of: model) }
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
    /// The same weights with a KV cache of 8 bits.
    private let rounded: LoadedModel
    private let lifetime: Lifetime
    private let place: AdapterPlace

    init(_ loaded: LoadedModel) {
        self.loaded = loaded
        rounded = loaded.keeping(.eight)
        lifetime = Lifetime([loaded.model, rounded.model])
        place = AdapterPlace(nil)
    }

    /// The weights of `model` with an adapter of its own; nil for none.
    init(_ model: Phi3Model, adapter: LoadedAdapter?) {
        loaded = model.loaded
        rounded = model.rounded
        lifetime = model.lifetime
        place = AdapterPlace(adapter)
    }

    /// The adapter of the next answers; nil for none.
    var adapter: LoadedAdapter? {
        get { place.adapter.withLock { $0 } }
        nonmutating set { place.adapter.withLock { $0 = newValue } }
    }

    /// The model with a KV cache of this precision.
    func loaded(_ bits: KeyValueBits) -> LoadedModel { bits == .eight ? rounded : loaded }

    /// The number of weights before quantization, including norms.
    public func numParameters() -> Int {
        loaded.model.configuration.parameterCount
    }
}
