// Loading with one call: of a model on the hub, by a downloader of the program's own, or from a folder.

public import Foundation

// MARK: - With the hub of this library

/// Loads a model by its name on the hub; shorthand for the factory's `loadContainer`.
/// - Throws: `PhiEngineError`.
public func loadModelContainer(
    hub: HubApi = HubApi(),
    id: String,
    progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
) async throws -> ModelContainer {
    try await loadModelContainer(
        hub: hub,
        configuration: LLMRegistry.shared.configuration(id: id),
        progressHandler: progressHandler
    )
}

/// Loads a model; shorthand for the factory's `loadContainer`.
/// - Throws: `PhiEngineError`.
public func loadModelContainer(
    hub: HubApi = HubApi(),
    configuration: ModelConfiguration,
    progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
) async throws -> ModelContainer {
    try await LLMModelFactory.shared.loadContainer(
        hub: hub,
        configuration: configuration,
        progressHandler: progressHandler
    )
}

/// Loads a model by its name on the hub; shorthand for the factory's `load`.
/// - Throws: `PhiEngineError`.
public func loadModel(
    hub: HubApi = HubApi(),
    id: String,
    progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
) async throws -> ModelContext {
    try await loadModel(
        hub: hub,
        configuration: LLMRegistry.shared.configuration(id: id),
        progressHandler: progressHandler
    )
}

/// Loads a model; shorthand for the factory's `load`.
/// - Throws: `PhiEngineError`.
public func loadModel(
    hub: HubApi = HubApi(),
    configuration: ModelConfiguration,
    progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
) async throws -> ModelContext {
    try await LLMModelFactory.shared.load(
        hub: hub,
        configuration: configuration,
        progressHandler: progressHandler
    )
}

// MARK: - With the program's downloader and tokenizers

/// Loads a model; shorthand for the factory's `loadContainer`.
/// - Throws: `PhiEngineError`, or an error of the downloader or the loader.
public func loadModelContainer(
    from downloader: any Downloader,
    using tokenizerLoader: any TokenizerLoader,
    configuration: ModelConfiguration,
    useLatest: Bool = false,
    progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
) async throws -> ModelContainer {
    try await LLMModelFactory.shared.loadContainer(
        from: downloader,
        using: tokenizerLoader,
        configuration: configuration,
        useLatest: useLatest,
        progressHandler: progressHandler
    )
}

/// Loads a model by its name; shorthand for the factory's `loadContainer`.
/// - Throws: `PhiEngineError`, or an error of the downloader or the loader.
public func loadModelContainer(
    from downloader: any Downloader,
    using tokenizerLoader: any TokenizerLoader,
    id: String,
    revision: String = "main",
    useLatest: Bool = false,
    progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
) async throws -> ModelContainer {
    try await loadModelContainer(
        from: downloader,
        using: tokenizerLoader,
        configuration: ModelConfiguration(id: id, revision: revision),
        useLatest: useLatest,
        progressHandler: progressHandler
    )
}

/// Loads a model; shorthand for the factory's `load`.
/// - Throws: `PhiEngineError`, or an error of the downloader or the loader.
public func loadModel(
    from downloader: any Downloader,
    using tokenizerLoader: any TokenizerLoader,
    configuration: ModelConfiguration,
    useLatest: Bool = false,
    progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
) async throws -> ModelContext {
    try await LLMModelFactory.shared.load(
        from: downloader,
        using: tokenizerLoader,
        configuration: configuration,
        useLatest: useLatest,
        progressHandler: progressHandler
    )
}

/// Loads a model by its name; shorthand for the factory's `load`.
/// - Throws: `PhiEngineError`, or an error of the downloader or the loader.
public func loadModel(
    from downloader: any Downloader,
    using tokenizerLoader: any TokenizerLoader,
    id: String,
    revision: String = "main",
    useLatest: Bool = false,
    progressHandler: @Sendable @escaping (Progress) -> Void = { _ in }
) async throws -> ModelContext {
    try await loadModel(
        from: downloader,
        using: tokenizerLoader,
        configuration: ModelConfiguration(id: id, revision: revision),
        useLatest: useLatest,
        progressHandler: progressHandler
    )
}

// MARK: - From a folder

/// Loads the model in a folder or GGUF file.
/// - Throws: `PhiEngineError`, or an error of the loader.
public func loadModelContainer(
    from directory: URL,
    using tokenizerLoader: any TokenizerLoader = PhiTokenizerLoader()
) async throws -> ModelContainer {
    try await LLMModelFactory.shared.loadContainer(from: directory, using: tokenizerLoader)
}

/// Loads the model in a folder or GGUF file.
/// - Throws: `PhiEngineError`, or an error of the loader.
public func loadModel(
    from directory: URL,
    using tokenizerLoader: any TokenizerLoader = PhiTokenizerLoader()
) async throws -> ModelContext {
    try await LLMModelFactory.shared.load(from: directory, using: tokenizerLoader)
}
