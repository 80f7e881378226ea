// A loaded model folder: weights, tokenizer and chat template.

import Checkpoints
import FoundationEssentials
public import PhiModel
public import Tokenizers

/// A loaded model. Cheap to copy: the weights are shared and mapped from the folder's files, which
/// must not change while the model is used.
public struct LoadedModel: Sendable {
    /// The weights and forward pass.
    public let model: PhiModel
    /// The tokenizer.
    public let tokenizer: Tokenizer
    /// The chat template.
    public let template: ChatTemplate
    /// The model's identity in receipts.
    public let identity: ModelIdentity
    /// The rows of the logits with tokens.
    let samplableTokens: SamplableTokens
    /// The forms of answers that were compiled.
    package let constraints: ConstraintCache

    /// Creates a model from its parts.
    package init(
        model: PhiModel,
        tokenizer: Tokenizer,
        template: ChatTemplate,
        identity: ModelIdentity
    ) {
        self.model = model
        self.tokenizer = tokenizer
        self.template = template
        self.identity = identity
        samplableTokens = SamplableTokens(
            vocabularyCount: model.vocabularyCount
        ) { tokenizer.hasToken($0) }
        constraints = ConstraintCache(
            tokenizer,
            stopTokens: model.configuration.stopTokens,
            tokenLimit: model.vocabularyCount
        )
    }

    /// Loads the model in `folder`.
    /// - Parameters:
    ///   - folder: has config.json, tokenizer.json, tokenizer_config.json and model*.safetensors;
    ///     or a GGUF file, or a folder with one.
    ///   - progress: receives the completed fraction, ascending from 0 to 1, on this thread.
    /// - Returns: the model.
    /// - Throws: `.modelMissing` if the folder or one of its files cannot be read, `.modelDamaged`
    ///   if a file is damaged, `.modelUnsupported` for another kind of model, `.unknownKernels` if
    ///   `STOA_KERNELS` is invalid.
    public static func load(
        folder: String,
        progress: (Double) -> Void = { _ in }
    ) throws(EngineError) -> LoadedModel {
        progress(0)
        // Errors are detected before the slow part starts.
        let (checkpoint, model) = try weights(in: folder)
        progress(0.05)
        let (tokenizer, template) = try texts(in: folder)
        guard tokenizer.vocabularyCount <= model.vocabularyCount else {
            throw .modelDamaged(
                folder: folder,
                reason: "\(folder) has a tokenizer with \(tokenizer.vocabularyCount) tokens and "
                    + "weights for \(model.vocabularyCount): they are not of the same model"
            )
        }
        progress(0.1)
        // A GGUF file's blocks are read once more, when they are repacked.
        let isRepacked = model.repackedByteCount > 0
        let pagesEnd = isRepacked ? 0.6 : 1
        WeightPages.read(checkpoint) { progress(0.1 + (pagesEnd - 0.1) * $0) }
        model.repackWeights(threadCount: ProcessorCount.available) {
            progress(pagesEnd + (1 - pagesEnd) * $0)
        }
        let loaded = LoadedModel(
            model: model,
            tokenizer: tokenizer,
            template: template,
            identity: try identity(of: checkpoint, template)
        )
        progress(1)
        return loaded
    }

    /// The same model with keys and values of this precision, if its kernels round. It shares the
    /// weights.
    public func keeping(_ bits: KeyValueBits) -> LoadedModel {
        LoadedModel(
            model: model.keeping(bits),
            tokenizer: tokenizer,
            template: template,
            identity: identity
        )
    }

    /// Validates a folder without reading its weights: whether the files exist, and whether
    /// configuration and tensors belong to a supported model.
    /// - Throws: `.modelMissing`, `.modelDamaged`, `.modelUnsupported` or `.unknownKernels`.
    public static func check(folder: String) throws(EngineError) {
        _ = try weights(in: folder)
    }

    /// The name for users: `org/name` in the hub's cache, otherwise the last path component.
    public var name: String { identity.name }

    /// Reads samples of the weights, which are already in memory.
    private static func identity(
        of checkpoint: Checkpoint,
        _ template: ChatTemplate
    ) throws(EngineError) -> ModelIdentity {
        do throws(CheckpointError) {
            return ModelIdentity(
                name: name(of: checkpoint.folder),
                hash: try ModelIdentity.hash(of: checkpoint),
                templateHash: ModelIdentity.hash(of: template)
            )
        } catch {
            throw EngineError(error, loading: checkpoint.folder)
        }
    }

    private static func weights(
        in folder: String
    ) throws(EngineError) -> (Checkpoint, PhiModel) {
        do throws(CheckpointError) {
            let checkpoint = try Checkpoint.open(folder)
            return (checkpoint, try PhiModel(checkpoint))
        } catch {
            throw EngineError(error, loading: folder)
        }
    }

    private static func texts(
        in folder: String
    ) throws(EngineError) -> (Tokenizer, ChatTemplate) {
        do throws(TokenizerError) {
            let tokenizer = try Tokenizer.load(folder: folder)
            return (tokenizer, try ChatTemplate.load(folder: folder, tokenizer: tokenizer))
        } catch {
            throw EngineError(error, loading: folder)
        }
    }

    /// The name for users of the model in `folder`, which may be a GGUF file.
    package static func name(of folder: String) -> String {
        let parts = folder.split(separator: "/")
        // The hub's cache: models--org--name/snapshots/commit.
        if let repository = parts.last(where: { $0.hasPrefix("models--") }) {
            let name = repository.dropFirst("models--".count)
            guard let border = name.firstRange(of: "--") else { return String(name) }
            return "\(name[..<border.lowerBound])/\(name[border.upperBound...])"
        }
        guard let last = parts.last else { return "model" }
        let suffix = ".gguf"
        return String(
            last.hasSuffix(suffix) && last != suffix ? last.dropLast(suffix.count) : last
        )
    }

    // MARK: - For the engine

    /// The tokens that end an answer.
    var stopTokens: Set<TokenID> { model.configuration.stopTokens }

    /// Rows of the embedding: all valid ids.
    var vocabularyCount: Int { model.vocabularyCount }

    /// Maximum number of tokens of prompt and answer together.
    func contextLength(limit: Int) -> Int { min(model.contextLength, limit) }
}
