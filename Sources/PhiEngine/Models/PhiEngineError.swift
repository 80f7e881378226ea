// Everything that can go wrong in the library, with what its reader can do about it.

public import Foundation

/// Why a model does not load or an answer does not come.
public enum PhiEngineError: LocalizedError, CustomStringConvertible, Hashable {
    /// The files are of a model that the engine does not compute; the text says which it does.
    case unsupportedModelType(String)
    /// The model is not in the cache and could not be fetched; the text says why and what to do.
    case modelNotAvailable(name: String, reason: String)
    /// The model's files are missing or damaged; the text says which and what to do.
    case modelUnusable(name: String, reason: String)
    /// The messages or the tokens are not what a model of this family reads.
    case invalidInput(String)
    /// A value of `GenerateParameters` is out of its range.
    case invalidParameters(String)
    /// The model could not compute the answer.
    case generationFailed(String)

    /// One or two sentences: what happened and what to do.
    public var description: String {
        switch self {
        case .unsupportedModelType(let reason): reason
        case .modelNotAvailable(let name, let reason): "\(name) is not available: \(reason)"
        case .modelUnusable(let name, let reason): "\(name) cannot be used: \(reason)"
        case .invalidInput(let reason): "the input cannot be used: \(reason)"
        case .invalidParameters(let reason): reason
        case .generationFailed(let reason): "no answer: \(reason)"
        }
    }

    /// As `description`, for `localizedDescription`.
    public var errorDescription: String? { description }
}

/// The name that programs for MLX catch.
public typealias ModelFactoryError = PhiEngineError
