// Finds a configuration's model in the cache or fetches it, and loads it.

public import Foundation
import Inference

/// Loads models.
public struct LLMModelFactory: Sendable {
    /// The factory.
    public static let shared = LLMModelFactory()

    /// The models known by name.
    public let modelRegistry = LLMRegistry.shared

    /// The known model with this name, or else a plain configuration for it.
    public func configuration(id: String) -> ModelConfiguration {
        modelRegistry.configuration(id: id)
    }

    /// Whether a model with this name is known.
    public func contains(id: String) -> Bool {
        modelRegistry.contains(id: id)
    }

    /// Loads a model, and fetches it first if the cache lacks any of it.
    /// - Parameters:
    ///   - hub: the model source and cache.
    ///   - configuration: which model.
    ///   - progressHandler: called with the fraction done of fetching and loading together; it
    ///     never decreases and ends at 1. Called on a background thread, each time with a new
    ///     value.
    /// - Returns: a container for the whole program.
    /// - Throws: `PhiEngineError`, or `CancellationError` if the task is cancelled; a later call
    ///   resumes the download.
    public func loadContainer(
        hub: HubApi = HubApi(),
        configuration: ModelConfiguration,
        progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
    ) async throws -> ModelContainer {
        ModelContainer(
            context: try await load(
                hub: hub,
                configuration: configuration,
                progressHandler: progressHandler
            )
        )
    }

    /// Like `loadContainer`, for programs that manage the parts themselves.
    /// - Throws: `PhiEngineError`.
    public func load(
        hub: HubApi = HubApi(),
        configuration: ModelConfiguration,
        progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
    ) async throws -> ModelContext {
        let folder = try await ModelFolder.resolve(configuration, hub, progressHandler)
        let start = folder.wasFetched ? ProgressShare.fetching : 0
        let share = ProgressShare(from: start, to: 1, progressHandler)
        return try await withTaskExecutorPreference(BlockingExecutor.streams) {
            try await Self.load(configuration, in: folder.path, nil, share)
        }
    }

    /// Loads the model in `folder`, on the executor that the task prefers, with a tokenizer of the
    /// program's own or the folder's.
    @concurrent
    static func load(
        _ configuration: ModelConfiguration,
        in folder: String,
        _ tokenizer: (any Tokenizer)?,
        _ share: ProgressShare
    ) async throws(PhiEngineError) -> ModelContext {
        let loaded: LoadedModel
        do throws(EngineError) {
            loaded = try LoadedModel.load(folder: folder) { share.report($0) }
        } catch {
            throw PhiEngineError(error, loading: configuration.name)
        }
        let tokenizer = tokenizer ?? PhiTokenizer(loaded, folder: folder)
        return ModelContext(
            configuration: configuration,
            model: Phi3Model(loaded),
            processor: PhiInputProcessor(tokenizer: tokenizer),
            tokenizer: tokenizer
        )
    }
}
