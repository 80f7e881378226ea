// Errors of tokenizers and chat templates.

public import Checkpoints

/// Why a tokenizer or a chat template cannot be used. Its `description` names file and cause.
public enum TokenizerError: Error, Sendable, Equatable {
    /// A file is missing, cannot be read or is not JSON.
    case file(CheckpointError)
    /// The file is JSON, but not a tokenizer's: `reason` says what is wrong where.
    case malformed(path: String, reason: String)
    /// The file has an unsupported component.
    case unsupported(path: String, part: String, found: String)
    /// The chat template has an unsupported construct. `line` counts from 1.
    case template(path: String, line: Int, word: String, reason: String)
    /// The folder has no chat template, and the family of its tokenizer is unknown.
    case noTemplate(folder: String)
}

extension TokenizerError: CustomStringConvertible {
    /// One or two sentences.
    public var description: String {
        switch self {
        case .file(let error):
            error.description
        case .malformed(let path, let reason):
            "\(path) is not a usable tokenizer: \(reason)"
        case .unsupported(let path, let part, let found):
            "\(path): \(part) \(found) is not supported: use a model of the Phi-3 or Phi-4 family"
        case .template(let path, let line, let word, let reason):
            "\(path): the chat template's line \(line) cannot be understood at \(word): \(reason)"
        case .noTemplate(let folder):
            "\(folder) has no chat template: add chat_template.jinja to it"
        }
    }
}
