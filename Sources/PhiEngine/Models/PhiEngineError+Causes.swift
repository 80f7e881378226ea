// Maps the engine's errors to the library's.

import Inference

extension PhiEngineError {
    /// The error for a model that cannot be loaded.
    init(_ error: EngineError, loading name: String) {
        switch error {
        case .modelUnsupported(_, let reason): self = .unsupportedModelType(reason)
        case .modelMissing(_, let reason), .modelDamaged(_, let reason):
            self = .modelUnusable(name: name, reason: reason)
        default: self = .modelUnusable(name: name, reason: error.description)
        }
    }

    /// The error for a failed generation.
    init(_ error: EngineError) {
        switch error {
        case .promptTooLong(let promptTokens, let contextLength):
            self = .invalidInput(
                "the prompt has \(promptTokens) tokens and the model's context \(contextLength), "
                    + "one of them for the answer; shorten the conversation"
            )
        case .invalidRequest(let reason): self = .invalidInput(reason)
        case .outOfMemory(let byteCount):
            self = .generationFailed(
                "no memory for keys and values (\(byteCount) bytes); set or lower maxTokens"
            )
        default: self = .generationFailed(error.description)
        }
    }
}
