// Finds a model's files: in a folder that the program names, in the cache, or by a pull.

import Foundation
import ModelHub

/// A folder with all files of a model, or its GGUF file.
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
        useLatest: Bool = false,
        _ progressHandler: @Sendable @escaping (Progress) -> Void
    ) async throws -> ModelFolder {
        switch configuration.id {
        case .directory(let url):
            return ModelFolder(path: url.path, wasFetched: false)
        case .id(let name, let revision):
            do {
                let settings = try hub.configuration()
                let model = try PullTarget(name)
                if !useLatest,
                    let path = ModelCache(settings).path(of: model, revision: revision)
                {
                    return ModelFolder(path: path, wasFetched: false)
                }
                if let architecture = configuration.otherArchitecture {
                    throw PhiEngineError.unsupported(name, architecture)
                }
                return try await fetch(model, revision, settings, progressHandler)
            } catch let error as PhiEngineError {
                throw error
            } catch HubError.cancelled {
                throw CancellationError()
            } catch {
                throw PhiEngineError.modelNotAvailable(name: name, reason: "\(error)")
            }
        }
    }

    private static func fetch(
        _ model: PullTarget,
        _ revision: String,
        _ settings: HubConfiguration,
        _ progressHandler: @Sendable @escaping (Progress) -> Void
    ) async throws -> ModelFolder {
        let share = ProgressShare(from: 0, to: ProgressShare.fetching, progressHandler)
        let path = try await ModelPull.fetch(
            model,
            revision: revision,
            configuration: settings
        ) { share.report($0.fraction) }
        return ModelFolder(path: path, wasFetched: true)
    }
}

extension PhiEngineError {
    /// The error for a model whose name says that it has another architecture.
    fileprivate static func unsupported(_ name: String, _ architecture: String) -> PhiEngineError {
        .unsupportedModelType(
            "\(name) has the architecture \(architecture); this library loads Phi models: use one of "
                + "LLMRegistry.shared.models, such as LLMRegistry.phi4_mini_4bit"
        )
    }
}
