// A model folder, ready to answer: weights, tokenizer and chat template that belong together.

import Checkpoints
import FoundationEssentials
public import PhiModel
public import Tokenizers

/// A model with all that belongs to it. Cheap to copy: the weights are shared, and mapped from the
/// folder's files, which must stay as they are while the model is used.
public struct LoadedModel: Sendable {
    /// The weights and the forward pass.
    public let model: PhiModel
    /// Text to tokens and back.
    public let tokenizer: Tokenizer
    /// Messages to tokens.
    public let template: ChatTemplate
    /// What receipts say about it.
    public let identity: ModelIdentity
    /// The rows of the logits that stand for tokens.
    let samplableTokens: SamplableTokens

    /// Puts together parts that were loaded apart.
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
    }

    /// Loads the model in `folder`.
    /// - Parameters:
    ///   - folder: has config.json, tokenizer.json, tokenizer_config.json and model*.safetensors.
    ///   - progress: gets the share that is done, from 0 to 1, never falling; on this thread.
    /// - Returns: a model that can answer.
    /// - Throws: `.modelMissing` where the folder or one of its files cannot be read,
    ///   `.modelDamaged` where a file is not what it should be, `.modelUnsupported` for another
    ///   kind of model, `.unknownKernels` where `STOA_KERNELS` names none.
    public static func load(
        folder: String,
        progress: (Double) -> Void = { _ in }
    ) throws(EngineError) -> LoadedModel {
        progress(0)
        // Whatever can be wrong is found before the long part begins.
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
        WeightPages.read(checkpoint) { progress(0.1 + 0.9 * $0) }
        let loaded = LoadedModel(
            model: model,
            tokenizer: tokenizer,
            template: template,
            identity: try identity(of: checkpoint, template)
        )
        progress(1)
        return loaded
    }

    /// The same model with keys and values of so many bits, where its arithmetic rounds. It shares
    /// the weights.
    public func keeping(_ bits: KeyValueBits) -> LoadedModel {
        LoadedModel(
            model: model.keeping(bits),
            tokenizer: tokenizer,
            template: template,
            identity: identity
        )
    }

    /// Checks all of a folder that can be checked without reading its weights: that the files are
    /// there, and that configuration and tensors belong to a model that Stoa computes.
    /// - Throws: `.modelMissing`, `.modelDamaged`, `.modelUnsupported` or `.unknownKernels`.
    public static func check(folder: String) throws(EngineError) {
        _ = try weights(in: folder)
    }

    /// What users call it: `org/name` in the hub's cache, else the folder's last part.
    public var name: String { identity.name }

    /// Reads samples of the weights, which are in memory by then.
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

    /// What users call the model in `folder`.
    package static func name(of folder: String) -> String {
        let parts = folder.split(separator: "/")
        // The hub's cache: models--org--name/snapshots/commit.
        if let repository = parts.last(where: { $0.hasPrefix("models--") }) {
            let name = repository.dropFirst("models--".count)
            guard let border = name.firstRange(of: "--") else { return String(name) }
            return "\(name[..<border.lowerBound])/\(name[border.upperBound...])"
        }
        return parts.last.map(String.init) ?? "model"
    }

    // MARK: - What the engine asks

    /// The tokens that end an answer.
    var stopTokens: Set<TokenID> { model.configuration.stopTokens }

    /// Rows of the embedding: all ids that the model can read.
    var vocabularyCount: Int { model.vocabularyCount }

    /// Positions that prompt and answer may take together.
    func contextLength(limit: Int) -> Int { min(model.contextLength, limit) }
}
