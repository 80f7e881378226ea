// Errors of Inference, each with a remedy.

/// Why an engine refused or failed a request, or a model could not be loaded.
public enum EngineError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The queue of waiting requests is full.
    case busy(queueLimit: Int)
    /// The prompt leaves no room for an answer.
    case promptTooLong(promptTokens: Int, contextLength: Int)
    /// The request cannot be served by this model; the text says why.
    case invalidRequest(String)
    /// The engine was shut down.
    case shutDown
    /// A setting of the engine is out of its range.
    case invalidConfiguration(setting: String, value: Int, allowed: ClosedRange<Int>)
    /// The folder or one of its files is missing; `reason` says which and what to do.
    case modelMissing(folder: String, reason: String)
    /// A file is damaged; `reason` says which, why and what to do.
    case modelDamaged(folder: String, reason: String)
    /// The kind of model is not supported; `reason` says which ones are.
    case modelUnsupported(folder: String, reason: String)
    /// The environment variable `STOA_KERNELS` names kernels that this processor does not support;
    /// `reason` lists those that it does.
    case unknownKernels(reason: String)
    /// The model failed during this answer; `reason` says why.
    case modelBroken(reason: String)
    /// There is not enough memory for a sequence's KV cache.
    case outOfMemory(byteCount: Int)
    /// Engines on other machines failed during this answer; `reason` is for administrators,
    /// `userText` for the user.
    case remote(model: String, reason: String, userText: String)
    /// No thread is available for the engine (an `errno` value).
    case noThread(errno: Int32)

    /// One or two sentences: what happened and what to do.
    public var description: String {
        switch self {
        case .busy(let queueLimit):
            "the engine is busy: \(queueLimit) requests are waiting; try again in a moment"
        case .promptTooLong(let promptTokens, let contextLength):
            "the prompt has \(promptTokens) tokens and the context \(contextLength), one of them "
                + "for the answer; shorten the conversation or raise the context limit"
        case .invalidRequest(let reason):
            "the request cannot be served: \(reason)"
        case .shutDown:
            "the engine is shut down; send the request to another one or after the restart"
        case .invalidConfiguration(let setting, let value, let allowed):
            "the engine's \(setting) is \(value), but must be from \(allowed.lowerBound) to "
                + "\(allowed.upperBound)"
        case .modelMissing(_, let reason), .modelDamaged(_, let reason),
            .modelUnsupported(_, let reason), .unknownKernels(let reason):
            // The reason comes from the module that reads the file, and contains its path.
            "the model cannot be loaded: \(reason)"
        case .modelBroken(let reason):
            "the model cannot go on: \(reason); if that happens again, download the model again"
        case .outOfMemory(let byteCount):
            "no memory for a sequence (\(byteCount) bytes); lower the context limit or the slots"
        case .remote(let model, let reason, _):
            "the remote engine of \(model) failed: \(reason)"
        case .noThread(let errno):
            "the system gives the engine no thread (error \(errno)); raise the limit on threads"
        }
    }
}
