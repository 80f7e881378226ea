// LoRA adapters with MLX's names. Weights stay as they are: an adapter computes beside them.

import Checkpoints
public import Foundation
import Inference
import PhiModel
import Synchronization

/// An adapter, which changes the answers of a model.
public protocol ModelAdapter: Sendable {
    /// Changes the answers of `model` that begin from now on, in all copies of it.
    /// - Throws: `PhiEngineError`.
    func load(into model: Phi3Model) throws

    /// Ends that.
    func unload(from model: Phi3Model)
}

/// A LoRA adapter of mlx-lm or PEFT. Cheap to copy.
public struct LoRAContainer: ModelAdapter {
    /// The adapter for the model that it was last loaded into.
    private final class Latest: Sendable {
        let adapter = Mutex<LoadedAdapter?>(nil)
    }

    private let checkpoint: AdapterCheckpoint
    private let latest = Latest()

    /// The adapter in `directory`: adapter_config.json, with adapters.safetensors of mlx-lm or
    /// adapter_model.safetensors of PEFT. The files must not change before it is loaded.
    /// - Throws: `.modelUnusable` if a file is missing or damaged, or the adapter is of another kind.
    public static func from(directory: URL) throws(PhiEngineError) -> LoRAContainer {
        do throws(CheckpointError) {
            return LoRAContainer(checkpoint: try AdapterCheckpoint.open(directory.path))
        } catch {
            throw .modelUnusable(name: directory.lastPathComponent, reason: error.description)
        }
    }

    private init(checkpoint: AdapterCheckpoint) {
        self.checkpoint = checkpoint
    }

    /// Changes the answers of `model` that begin from now on, in all copies of it. An adapter that was
    /// loaded before it is unloaded.
    /// - Throws: `.modelUnusable` if it is an adapter of another model.
    public func load(into model: Phi3Model) throws(PhiEngineError) {
        model.adapter = try loaded(for: model)
    }

    /// Ends that, if `model` has this adapter.
    public func unload(from model: Phi3Model) {
        let own = latest.adapter.withLock { $0?.adapter }
        if let own, model.adapter?.adapter === own { model.adapter = nil }
    }

    /// The adapter for `model`, whose matrices are copied once.
    func loaded(for model: Phi3Model) throws(PhiEngineError) -> LoadedAdapter {
        try latest.adapter.withLock { latest throws(PhiEngineError) in
            if let latest, latest.adapter.fits(model.loaded.model) { return latest }
            do throws(EngineError) {
                let loaded = try LoadedAdapter(checkpoint, for: model.loaded)
                latest = loaded
                return loaded
            } catch {
                throw PhiEngineError(error, loading: checkpoint.folder)
            }
        }
    }
}

extension Phi3Model {
    /// Changes the answers that begin from now on, in all copies of this model; see `adapted`.
    /// - Throws: `PhiEngineError`.
    public func load(adapter: any ModelAdapter) throws {
        try adapter.load(into: self)
    }

    /// Ends that.
    public func unload(adapter: any ModelAdapter) {
        adapter.unload(from: self)
    }

    /// Runs `perform` with an adapter, and unloads it afterwards.
    /// - Returns: what `perform` returns.
    /// - Throws: `PhiEngineError`, or what `perform` throws.
    public func perform<R>(with adapter: any ModelAdapter, perform: () throws -> R) throws -> R {
        try load(adapter: adapter)
        defer { unload(adapter: adapter) }
        return try perform()
    }

    /// The same weights with an adapter of their own, or with none: other copies do not change. So
    /// any number of answers with different adapters may be generated at the same time.
    /// - Throws: `.modelUnusable` if it is an adapter of another model.
    public func adapted(by adapter: LoRAContainer?) throws(PhiEngineError) -> Phi3Model {
        Phi3Model(self, adapter: try adapter?.loaded(for: self))
    }
}

extension ModelContext {
    /// The same context whose model has this adapter, or none; see `Phi3Model.adapted`.
    /// - Throws: `.modelUnusable` if it is an adapter of another model.
    public func adapted(by adapter: LoRAContainer?) throws(PhiEngineError) -> ModelContext {
        var context = self
        context.model = try model.adapted(by: adapter)
        return context
    }
}
