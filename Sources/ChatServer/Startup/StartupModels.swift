// The models available at start: those in the settings, or the demo model.

import FoundationEssentials
import Inference

/// The models that a server starts with.
struct StartupModels: Sendable {
    /// A model that is loaded while the server runs.
    struct Folder: Sendable, Hashable {
        /// Its name for clients.
        let name: String
        /// Its folder.
        let path: String
    }

    /// The models of the settings, the default first.
    private(set) var folders: [Folder] = []
    /// The demo model, already loaded: that is fast enough. Nil if the settings name others.
    private(set) var demo: (folder: Folder, model: LoadedModel)?
    /// Their adapters: models of their own, each with the name of the model that it changes.
    private(set) var adapters: [(folder: Folder, base: String)] = []
    /// The models that remote engines answer for.
    private(set) var remote: RemoteModels
    /// Has the keys of remote engines that are named by a variable.
    let environment: [String: String]

    /// Finds the models, and checks what can be checked at once: a folder that cannot be a model is
    /// a usage error, reported before anything is served.
    /// - Parameters:
    ///   - settings: the models.
    ///   - source: finds the folders of models given by name.
    ///   - environment: has the keys of remote engines that are named by a variable.
    /// - Throws: `StartupError`, which says what to do.
    init(
        _ settings: ServerSettings,
        source: any ModelSource,
        environment: [String: String]
    ) throws(StartupError) {
        self.environment = environment
        remote = try RemoteModels(settings.remoteEngines, environment: environment)
        try findModels(settings, source)
        try findAdapters(settings)
        let local = bases.map(\.name) + adapters.map(\.folder.name)
        if let name = remote.names.first(where: local.contains) {
            throw StartupError(
                .configuration,
                "a model of this machine and one of a remote engine would both be called \(name): "
                    + "tell them apart with --model-name, or with as=NAME of the engine"
            )
        }
    }

    private mutating func findModels(
        _ settings: ServerSettings,
        _ source: any ModelSource
    ) throws(StartupError) {
        guard !settings.models.isEmpty else {
            let (path, model) = try Self.demoModel(settings)
            let name = settings.modelNames.first ?? model.name
            demo = (Folder(name: name, path: path), model)
            return
        }
        for (index, model) in settings.models.enumerated() {
            let place = try ModelPlace(model, in: source)
            do throws(EngineError) { try LoadedModel.check(folder: place.path) } catch {
                throw StartupError(.noInput, "\(error)")
            }
            let isNamed = index < settings.modelNames.count
            let name = isNamed ? settings.modelNames[index] : place.name
            guard !folders.contains(where: { $0.name == name }) else {
                throw StartupError(
                    .configuration,
                    "two models would be called \(name): tell them apart with --model-name"
                )
            }
            folders.append(Folder(name: name, path: place.path))
        }
    }

    /// The models without adapters, the default first.
    private var bases: [Folder] { folders + [demo?.folder].compactMap(\.self) }

    private mutating func findAdapters(_ settings: ServerSettings) throws(StartupError) {
        for setting in settings.adapters {
            guard let base = bases.first(where: { setting.changes($0.name) }) else {
                throw StartupError(
                    .configuration,
                    "the adapter \(setting.folder) is of \(setting.base), which is none of the"
                        + " models: name that one with --model, or another one with of=MODEL"
                )
            }
            do throws(EngineError) {
                try LoadedAdapter.check(folder: setting.folder, modelFolder: base.path)
            } catch {
                throw StartupError(.noInput, "\(error)")
            }
            guard !(bases + adapters.map(\.folder)).contains(where: { $0.name == setting.name })
            else {
                throw StartupError(
                    .configuration,
                    "two models would be called \(setting.name): tell them apart with as=NAME of"
                        + " the adapter"
                )
            }
            adapters.append((Folder(name: setting.name, path: setting.folder), base.name))
        }
    }

    private static func demoModel(
        _ settings: ServerSettings
    ) throws(StartupError) -> (folder: String, model: LoadedModel) {
        let folder: String
        do { folder = try DemoModel.folder(in: "\(settings.dataDirectory)/models") } catch {
            throw StartupError(
                .cannotCreate,
                "the demo model: \(error) (--data-dir)"
            )
        }
        do throws(EngineError) { return (folder, try LoadedModel.load(folder: folder)) } catch {
            throw StartupError(.noInput, "\(error)")
        }
    }
}
