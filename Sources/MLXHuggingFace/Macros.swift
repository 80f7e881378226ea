// The macros of MLX Swift LM's module of this name, for programs that use them. Each stands for a call;
// `PhiEngine` has its own hub and tokenizers, which the functions use without a macro.

public import Foundation
@_exported public import PhiEngine

/// The hub with settings of its own: `hub` itself.
@freestanding(expression)
public macro hubDownloader(_ hub: HubApi) -> any Downloader =
    #externalMacro(module: "MLXHuggingFaceMacros", type: "HubDownloader")

/// The hub with the settings of the environment, `HubApi()`.
@freestanding(expression)
public macro hubDownloader() -> any Downloader =
    #externalMacro(module: "MLXHuggingFaceMacros", type: "HubDownloader")

/// The engine's tokenizers, as `PhiTokenizerLoader()`.
@freestanding(expression)
public macro huggingFaceTokenizerLoader() -> any TokenizerLoader =
    #externalMacro(module: "MLXHuggingFaceMacros", type: "TokenizerLoader")

/// Loads a model, as `loadModelContainer(configuration:progressHandler:)`.
@freestanding(expression)
public macro huggingFaceLoadModelContainer(
    configuration: ModelConfiguration
) -> ModelContainer =
    #externalMacro(module: "MLXHuggingFaceMacros", type: "LoadContainer")

/// Loads a model, and reports how far it is.
@freestanding(expression)
public macro huggingFaceLoadModelContainer(
    configuration: ModelConfiguration,
    progressHandler: @Sendable @escaping (Progress) -> Void
) -> ModelContainer =
    #externalMacro(module: "MLXHuggingFaceMacros", type: "LoadContainer")

/// Loads a model's parts, as `loadModel(configuration:progressHandler:)`.
@freestanding(expression)
public macro huggingFaceLoadModel(
    configuration: ModelConfiguration
) -> ModelContext =
    #externalMacro(module: "MLXHuggingFaceMacros", type: "LoadContext")

/// Loads a model's parts, and reports how far it is.
@freestanding(expression)
public macro huggingFaceLoadModel(
    configuration: ModelConfiguration,
    progressHandler: @Sendable @escaping (Progress) -> Void
) -> ModelContext =
    #externalMacro(module: "MLXHuggingFaceMacros", type: "LoadContext")

/// What `#hubDownloader` stands for.
public func makeHubDownloader(_ hub: HubApi = HubApi()) -> any Downloader { hub }
