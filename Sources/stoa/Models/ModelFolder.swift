// Loads the parts of a model folder separately: a folder with only a tokenizer can tokenize.

import ChatServer
import Checkpoints
import Digests
import FoundationEssentials
import Inference
import PhiModel
import Tokenizers

/// A model's folder or GGUF file, for the commands that inspect it. Missing or damaged files throw a failure with the
/// status for missing input.
struct ModelFolder {
    /// The folder or file.
    let path: String

    /// The folder or file `text`, or that of a model in the hub's cache.
    /// - Throws: `CommandFailure` if there is no model of that name in the cache.
    init(_ text: String) throws(CommandFailure) {
        do throws(StartupError) { path = try ModelArgument.path(text) } catch {
            throw CommandFailure(.noInput, "\(error)")
        }
    }

    /// The tokenizer, from its file.
    func tokenizer() throws(CommandFailure) -> Tokenizer {
        try read { () throws(TokenizerError) in try Tokenizer.load(folder: path) }
    }

    /// The chat template, from the tokenizer's files.
    func template() throws(CommandFailure) -> ChatTemplate {
        let tokenizer = try tokenizer()
        return try read { () throws(TokenizerError) in
            try ChatTemplate.load(folder: path, tokenizer: tokenizer)
        }
    }

    /// The chat template for `tokenizer`, which belongs to this folder; nil if there is none.
    func templateIfAny(_ tokenizer: Tokenizer) throws(CommandFailure) -> ChatTemplate? {
        try read { () throws(TokenizerError) in
            do throws(TokenizerError) {
                return try ChatTemplate.load(folder: path, tokenizer: tokenizer)
            } catch {
                if case .noTemplate = error { return nil }
                throw error
            }
        }
    }

    /// The configuration, from config.json and related files.
    func configuration() throws(CommandFailure) -> ModelConfiguration {
        try read { () throws(CheckpointError) in try ModelConfiguration(folder: path) }
    }

    /// The model, from config.json and model*.safetensors, with the kernels that `STOA_KERNELS`
    /// selects, unless given.
    func model(_ kernels: Kernels? = nil) throws(CommandFailure) -> PhiModel {
        try read { () throws(CheckpointError) in
            guard let kernels else { return try PhiModel(folder: path) }
            return try PhiModel(folder: path, kernels: kernels)
        }
    }

    /// The tensors by name.
    func checkpoint() throws(CommandFailure) -> Checkpoint {
        try read { () throws(CheckpointError) in try Checkpoint.open(path) }
    }

    /// The model's hash as in receipts.
    func hash(of checkpoint: Checkpoint) throws(CommandFailure) -> String {
        try read { () throws(CheckpointError) in try ModelIdentity.hash(of: checkpoint) }
    }

    /// The SHA-256 of the file `name`.
    func hash(ofFile name: String) throws(CommandFailure) -> String {
        let file = try read { () throws(CheckpointError) in try MappedFile(path: "\(path)/\(name)")
        }
        defer { extendLifetime(file) }
        return SHA256.digest(of: file.bytes).hexadecimal
    }

    /// Whether there is a file of this name.
    func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/\(name)")
    }

    /// Whether it is a GGUF file, or a folder with one, which has everything.
    var isGGUF: Bool { ((try? GGUFFile.open(path)) ?? nil) != nil }

    /// Whether there is a tokenizer.
    var hasTokenizer: Bool { tokenizerFile != nil || isGGUF }

    /// The name of the tokenizer's file, unless the model is a GGUF file.
    var tokenizerFile: String? {
        ["tokenizer.json", Tokenizer.tiktokenFileName].first(where: has)
    }

    /// Whether there are weights.
    var hasWeights: Bool {
        guard !isGGUF else { return true }
        let files = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return files.contains { $0.hasPrefix("model") && $0.hasSuffix(".safetensors") }
    }

    private func read<Part, Failure: Error>(
        _ part: () throws(Failure) -> Part
    ) throws(CommandFailure) -> Part {
        do throws(Failure) { return try part() } catch {
            throw CommandFailure(.noInput, "\(error)")
        }
    }
}
