// Models that are another one with an adapter. All models with the same weights share one engine: the
// weights are in memory once, are loaded for the first of these models that needs them, leave with the
// last one, and answers of all of them are computed together.
//
// What belongs to the weights has the name of the model without an adapter, the base: engines, memory,
// and what the loader measures and reads.

import EventLoop
import Inference
import PhiModel

/// An engine, and the weights with which it computes.
struct SharedEngine: Sendable {
    let engine: any InferenceEngine
    /// The weights; nil for remote engines.
    let model: LoadedModel?
}

extension EnginePool {
    /// Where the adapter of a model is.
    struct AdapterFiles {
        /// The name of the model that it changes.
        let base: String
        let folder: String
    }

    /// Adds a model that is another one with an adapter, and is not loaded yet.
    /// - Parameters:
    ///   - name: its name for clients.
    ///   - folder: the adapter's folder.
    ///   - base: the name of the model that it changes, which is registered.
    package func register(_ name: String, adapter folder: String, of base: String) {
        adapters[name] = AdapterFiles(base: base, folder: folder)
        noteUnloaded(name)
    }

    /// The model whose weights a model has: itself, unless it has an adapter.
    func base(of name: String) -> String { adapters[name]?.base ?? name }

    /// The models with the weights of `base`.
    func names(of base: String) -> [String] { board.names.filter { self.base(of: $0) == base } }

    /// Whether a model with the weights of `base` is ready or being loaded: if not, they leave.
    func isHeld(_ base: String) -> Bool {
        names(of: base).contains { name in
            switch board[name] {
            case .ready?, .loading?: true
            case .fetching?, .unloading?, .leaving?, .unloaded?, .standby?, .failed?, nil: false
            }
        }
    }

    /// Whether weights are measured or read.
    func isComing(_ base: String) -> Bool {
        loader.has(base) || memory?.measured.contains(base) == true
    }

    /// Whether a model is being loaded.
    func isLoading(_ name: String) -> Bool {
        if case .loading? = board[name] { true } else { false }
    }

    /// The context of models that leave with the weights of `base`; nil if those stay.
    func leavingLength(of base: String) -> Int? {
        for name in names(of: base) {
            if case .leaving(let length)? = board[name] { return length }
        }
        return nil
    }

    /// The models that wait for the weights of `base`, which are not here. Those among them that are
    /// not wanted any more are unloaded.
    func waiting(for base: String) -> [String] {
        let names = names(of: base).filter { name in
            switch board[name] {
            case .loading?, .unloading?, .standby?: engines[name] == nil
            case .fetching?, .ready?, .leaving?, .unloaded?, .failed?, nil: false
            }
        }
        for name in names where !board.isWanted(name) { update(name, to: .unloaded) }
        return names.filter(board.isWanted)
    }

    /// Lets a model answer whose weights are here, once its adapter is read.
    func join(_ name: String) {
        if let adapter = adapters[name], let model = shared[adapter.base]?.model {
            loader.add(name, .adapt(folder: adapter.folder, model))
        } else {
            answer(as: name)
        }
    }

    /// Answers with an adapter that was read.
    func take(_ adapter: LoadedAdapter, of name: String) {
        guard board.isWanted(name) else { return update(name, to: .unloaded) }
        // Weights that were unloaded and loaded meanwhile are others: it is read again for them.
        guard let model = shared[base(of: name)]?.model, adapter.adapter.fits(model.model),
            engines[name] == nil
        else { return }
        answer(as: name, with: adapter)
    }

    /// Removes a model that is not loaded yet from what the loader has to do.
    /// - Returns: false if it is being read, or others wait for the same weights.
    func cancelLoading(_ name: String) -> Bool {
        let base = base(of: name)
        guard shared[base] == nil else { return loader.cancel(name) }
        guard names(of: base).filter(isLoading) == [name], loader.cancel(base) else {
            return false
        }
        memory?.models.release(base)
        return true
    }

    /// Measures the weights of `base`, with the matrices of all of its adapters: these count while the
    /// weights are in memory, also those of adapters that are not loaded.
    /// - Returns: a function for any thread; nil without a memory limit, or where no folder is known.
    func measurement(of base: String) -> (@Sendable () throws -> ModelFootprint)? {
        guard let measure = memory?.measure, let folder = folders[base] else { return nil }
        let adapterFolders = adapters.values.filter { $0.base == base }.map(\.folder)
        return {
            var footprint = try measure(folder)
            for folder in adapterFolders {
                // One that cannot be read takes nothing, and says why when it is loaded.
                footprint.weightBytes += (try? LoadedAdapter.byteCount(folder: folder)) ?? 0
            }
            return footprint
        }
    }
}
