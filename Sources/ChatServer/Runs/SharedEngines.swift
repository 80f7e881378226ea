// The engines of models on this machine. Models with the same weights share one: those with adapters,
// and the one without. So the weights are in memory once, and their answers are computed together.

import Inference

/// Engines by the folders of their weights.
struct SharedEngines {
    /// An engine and its model.
    struct Entry {
        let model: LoadedModel
        let engine: any InferenceEngine
        /// The models that it answers for.
        fileprivate(set) var names: Set<String> = []
    }

    private var entries: [String: Entry] = [:]

    /// The model in `folder` if it is in memory.
    func model(in folder: String) -> LoadedModel? { entries[folder]?.model }

    /// All engines.
    var engines: [any InferenceEngine] { entries.values.map(\.engine) }

    /// Lets the engine of `folder` answer for the model `name`, too.
    /// - Parameters:
    ///   - name: the model's name for clients.
    ///   - folder: the folder of its weights.
    ///   - make: starts an engine if there is none.
    /// - Returns: the engine.
    mutating func join(
        _ name: String,
        in folder: String,
        orMake make: () throws -> Entry
    ) rethrows -> Entry {
        var entry = try entries[folder] ?? make()
        entry.names.insert(name)
        entries[folder] = entry
        return entry
    }

    /// Ends that an engine answers for the model `name`.
    /// - Returns: the engine if it answers for no other model: it is forgotten here. Otherwise nil.
    mutating func leave(_ name: String) -> Entry? {
        guard let folder = entries.first(where: { $0.value.names.contains(name) })?.key else {
            return nil
        }
        entries[folder]?.names.remove(name)
        return entries[folder]?.names.isEmpty == true ? entries.removeValue(forKey: folder) : nil
    }

    /// Undoes `leave`.
    mutating func restore(_ entry: Entry, of name: String, in folder: String) {
        entries[folder] = entry
        entries[folder]?.names = [name]
    }
}
