// All errors of the library, each with what the user can do.

public import Foundation

/// Why loading a model or generating an answer failed.
public enum PhiEngineError: LocalizedError, CustomStringConvertible, Hashable {
    /// The engine does not support the model's architecture; the text says which it supports.
    case unsupportedModelType(String)
    /// The model is not in the cache and could not be fetched; the text says why and what to do.
    case modelNotAvailable(name: String, reason: String)
    /// The model's files are missing or damaged; the text says which and what to do.
    case modelUnusable(name: String, reason: String)
    /// The messages or tokens are not valid input for a model of this family.
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

    /// Same as `description`, for `localizedDescription`.
    public var errorDescription: String? { description }
}

/// The name that MLX programs catch.
public typealias ModelFactoryError = PhiEngineError
