// The models that a server has from its start: those that the settings name, or the demo model.

import Inference

/// What a server answers with from its start.
struct StartupModels: Sendable {
    /// A model that is loaded while the server serves.
    struct Folder: Sendable, Hashable {
        /// What clients call it.
        let name: String
        /// Where it lies.
        let path: String
    }

    /// The models that the settings name, the default first.
    var folders: [Folder] = []
    /// The demo model, loaded already: that takes no time worth showing. Nil where the settings
    /// name another.
    var demo: LoadedModel?

    /// Finds the models, and checks what can be checked at once: a folder that can be no model is a
    /// fault of the command line, told before anything is served.
    /// - Throws: `StartupError`, which says what to do.
    init(_ settings: ServerSettings) throws(StartupError) {
        guard let model = settings.model else {
            demo = try Self.demoModel(settings)
            return
        }
        do throws(EngineError) { try LoadedModel.check(folder: model) } catch {
            throw StartupError(.noInput, "\(error)")
        }
        let name = settings.modelName ?? LoadedModel.name(of: model)
        folders = [Folder(name: name, path: model)]
    }

    private static func demoModel(_ settings: ServerSettings) throws(StartupError) -> LoadedModel {
        let folder: String
        do { folder = try DemoModel.folder(in: "\(settings.dataDirectory)/models") } catch {
            throw StartupError(
                .cannotCreate,
                "cannot write to \(settings.dataDirectory): \(error)"
            )
        }
        do throws(EngineError) { return try LoadedModel.load(folder: folder) } catch {
            throw StartupError(.noInput, "\(error)")
        }
    }
}
