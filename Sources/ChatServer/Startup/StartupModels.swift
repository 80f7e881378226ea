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
        let local = folders.map(\.name) + [demo?.folder.name].compactMap(\.self)
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
