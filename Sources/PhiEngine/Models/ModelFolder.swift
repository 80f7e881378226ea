// Finds a model's files: in a folder that the program names, in the cache, or by a pull.

import Foundation
import ModelHub

/// A folder with all files of a model.
struct ModelFolder: Sendable {
    let path: String
    /// Whether it was fetched from the hub.
    let wasFetched: Bool

    /// The folder of the model that `configuration` names.
    /// - Throws: `PhiEngineError.modelNotAvailable`, or `CancellationError` if the task is
    ///   cancelled.
    static func resolve(
        _ configuration: ModelConfiguration,
        _ hub: HubApi,
        _ progressHandler: @Sendable @escaping (Progress) -> Void
    ) async throws -> ModelFolder {
        switch configuration.id {
        case .directory(let url):
            return ModelFolder(path: url.path, wasFetched: false)
        case .id(let name, let revision):
            do {
                return try await find(ModelName(name), revision, hub, progressHandler)
            } catch HubError.cancelled {
                throw CancellationError()
            } catch {
                throw PhiEngineError.modelNotAvailable(name: name, reason: "\(error)")
            }
        }
    }

    private static func find(
        _ model: ModelName,
        _ revision: String,
        _ hub: HubApi,
        _ progressHandler: @Sendable @escaping (Progress) -> Void
    ) async throws -> ModelFolder {
        let settings = try hub.configuration()
        if let path = ModelCache(settings).snapshot(of: model, revision: revision) {
            return ModelFolder(path: path, wasFetched: false)
        }
        let share = ProgressShare(from: 0, to: ProgressShare.fetching, progressHandler)
        let path = try await ModelPull.fetch(
            model,
            revision: revision,
            configuration: settings
        ) { share.report($0.fraction) }
        return ModelFolder(path: path, wasFetched: true)
    }
}
