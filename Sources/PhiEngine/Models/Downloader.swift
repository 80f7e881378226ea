// Where a model's files come from, as a protocol: programs may have a hub of their own.

public import Foundation

/// Fetches models.
public protocol Downloader: Sendable {
    /// Fetches the files of a model that are not there yet.
    /// - Parameters:
    ///   - id: the model's name, `organization/name`.
    ///   - revision: a branch, tag or commit; nil for the downloader's default.
    ///   - patterns: names of the files that are needed, with `*`.
    ///   - useLatest: whether to ask for the latest commit even if the model is there.
    ///   - progressHandler: called with the fraction done.
    /// - Returns: the folder with the files.
    /// - Throws: an error that says what to do.
    func download(
        id: String,
        revision: String?,
        matching patterns: [String],
        useLatest: Bool,
        progressHandler: @Sendable @escaping (Progress) -> Void
    ) async throws -> URL
}

extension HubApi: Downloader {
    /// Fetches a model into the cache, unless it is there. What a model needs is fetched, whatever the
    /// patterns say.
    /// - Throws: `PhiEngineError.modelNotAvailable`.
    public func download(
        id: String,
        revision: String?,
        matching patterns: [String],
        useLatest: Bool,
        progressHandler: @Sendable @escaping (Progress) -> Void
    ) async throws -> URL {
        let configuration = ModelConfiguration(id: id, revision: revision ?? "main")
        let folder = try await ModelFolder.resolve(
            configuration,
            self,
            useLatest: useLatest,
            progressHandler
        )
        return URL(filePath: folder.path)
    }
}

/// Fetches the files of a configuration that are not there yet, and says where they are.
/// - Throws: an error of the downloader, or `PhiEngineError.unsupportedModelType` for a name that is
///   known to be a model of another architecture.
public func resolve(
    configuration: ModelConfiguration,
    from downloader: any Downloader,
    useLatest: Bool,
    progressHandler: @Sendable @escaping (Progress) -> Void
) async throws -> ResolvedModelConfiguration {
    let folder: URL
    switch (configuration.id, downloader) {
    case (.directory(let url), _): folder = url
    case (.id, let hub as HubApi):
        let found = try await ModelFolder.resolve(
            configuration,
            hub,
            useLatest: useLatest,
            progressHandler
        )
        folder = URL(filePath: found.path)
    case (.id(let id, let revision), _):
        folder = try await downloader.download(
            id: id,
            revision: revision,
            matching: ["*.json", "*.jinja", "model*.safetensors"],
            useLatest: useLatest,
            progressHandler: progressHandler
        )
    }
    return configuration.resolved(modelDirectory: folder, tokenizerDirectory: folder)
}

extension LLMModelFactory {
    /// Loads a model that `downloader` fetches, with the tokenizer that `tokenizerLoader` reads.
    ///
    /// The engine turns the tokens of answers into text by the model's own tokenizer; the other one
    /// encodes prompts.
    /// - Throws: `PhiEngineError`, or an error of the downloader or the loader.
    public func load(
        from downloader: any Downloader,
        using tokenizerLoader: any TokenizerLoader,
        configuration: ModelConfiguration,
        useLatest: Bool = false,
        progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
    ) async throws -> ModelContext {
        let resolved = try await resolve(
            configuration: configuration,
            from: downloader,
            useLatest: useLatest,
            progressHandler: progressHandler
        )
        return try await load(configuration, in: resolved.modelDirectory, tokenizerLoader)
    }

    /// Like `load`, in a container for the whole program.
    /// - Throws: `PhiEngineError`, or an error of the downloader or the loader.
    public func loadContainer(
        from downloader: any Downloader,
        using tokenizerLoader: any TokenizerLoader,
        configuration: ModelConfiguration,
        useLatest: Bool = false,
        progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
    ) async throws -> ModelContainer {
        ModelContainer(
            context: try await load(
                from: downloader,
                using: tokenizerLoader,
                configuration: configuration,
                useLatest: useLatest,
                progressHandler: progressHandler
            )
        )
    }

    /// Loads the model in a folder or GGUF file.
    /// - Throws: `PhiEngineError`, or an error of the loader.
    public func load(
        from directory: URL,
        using tokenizerLoader: any TokenizerLoader = PhiTokenizerLoader()
    ) async throws -> ModelContext {
        let configuration = ModelConfiguration(directory: directory)
        return try await load(configuration, in: directory, tokenizerLoader)
    }

    /// Like `load`, in a container for the whole program.
    /// - Throws: `PhiEngineError`, or an error of the loader.
    public func loadContainer(
        from directory: URL,
        using tokenizerLoader: any TokenizerLoader = PhiTokenizerLoader()
    ) async throws -> ModelContainer {
        ModelContainer(context: try await load(from: directory, using: tokenizerLoader))
    }

    private func load(
        _ configuration: ModelConfiguration,
        in directory: URL,
        _ tokenizerLoader: any TokenizerLoader
    ) async throws -> ModelContext {
        let tokenizer =
            tokenizerLoader is PhiTokenizerLoader
            ? nil : try await tokenizerLoader.load(from: directory)
        let share = ProgressShare(from: 0, to: 1) { _ in }
        return try await withTaskExecutorPreference(BlockingExecutor.streams) {
            try await Self.load(configuration, in: directory.path, tokenizer, share)
        }
    }
}
