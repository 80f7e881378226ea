// Reads a model folder for its description. Missing files are left out, damaged files are errors.

import Checkpoints
import Inference
import PhiModel
import Tokenizers

extension ModelInfo {
    /// Describes the model in the folder `text`, or of that name in the hub's cache.
    /// - Throws: `CommandFailure` if there is none, config.json is missing, or a file is damaged or unsupported.
    package init(folder text: String) throws(CommandFailure) {
        let folder = try ModelFolder(text)
        let configuration = try folder.configuration()
        let tokenizer = folder.hasTokenizer ? try folder.tokenizer() : nil
        let template: ChatTemplate? =
            if let tokenizer { try folder.templateIfAny(tokenizer) } else { nil }
        let checkpoint = folder.hasWeights ? try folder.checkpoint() : nil
        let modelHash: String? =
            if let checkpoint { try folder.hash(of: checkpoint) } else { nil }

        let tokenizerHash: String? =
            if let file = folder.tokenizerFile { try folder.hash(ofFile: file) } else { nil }

        self.folder = folder.path
        name = LoadedModel.name(of: folder.path)
        architecture = configuration.architecture.rawValue
        parameters = configuration.parameterCount
        contextLength = configuration.contextLength
        sizes = Sizes(configuration)
        tiedEmbeddings = configuration.tiesEmbeddings
        rope = Rope(configuration)
        slidingWindow = configuration.slidingWindow
        quantization = configuration.quantization.map(Quantization.init)
        weights = if let checkpoint { Weights(checkpoint, try folder.model()) } else { nil }
        stopTokens = configuration.stopTokens.sorted().map { id in
            StopToken(id: id, text: tokenizer?.decode([id], keepSpecial: true))
        }
        self.tokenizer = tokenizer.map {
            TokenizerInfo(tokens: $0.vocabularyCount, addedTokens: $0.addedTokens.count)
        }
        self.template = template?.path
        thinks =
            template?.asksForThinking == true || name.lowercased().contains("reasoning")
        writesSystemPrompts = template?.writesSystemPrompts
        hashes = Hashes(
            model: modelHash,
            template: template.map(ModelIdentity.hash),
            tokenizer: tokenizerHash
        )
    }
}

extension ModelInfo.Sizes {
    fileprivate init(_ configuration: ModelConfiguration) {
        hidden = configuration.hiddenSize
        intermediate = configuration.intermediateSize
        layers = configuration.layerCount
        heads = configuration.headCount
        keyValueHeads = configuration.keyValueHeadCount
        head = configuration.headSize
        vocabulary = configuration.vocabularyCount
    }
}

extension ModelInfo.Rope {
    fileprivate init(_ configuration: ModelConfiguration) {
        let isLong = configuration.ropeScaling != nil
        type = isLong ? "longrope" : "plain"
        base = configuration.ropeBase
        rotatedDimensions = configuration.rotaryDimensions
        originalContextLength = isLong ? configuration.originalContextLength : nil
        shortMagnitude = configuration.ropeScaling?.shortMagnitude
        longMagnitude = configuration.ropeScaling?.longMagnitude
    }
}

extension ModelInfo.Quantization {
    fileprivate init(_ quantization: Checkpoints.Quantization) {
        mode = quantization.standard.mode
        bits = quantization.standard.bits
        groupSize = quantization.standard.groupSize
        otherModules = quantization.overrides.count
    }
}

extension ModelInfo.Weights {
    fileprivate init(_ checkpoint: Checkpoint, _ model: PhiModel) {
        let tensors = checkpoint.tensors.values
        files = Set(tensors.map(\.file.path)).count
        self.tensors = tensors.count
        bytes = tensors.reduce(0) { $0 + $1.byteRange.count }
        dtypes = tensors.reduce(into: [:]) { $0[$1.elementType.rawValue, default: 0] += 1 }
        repackedBytes = model.repackedByteCount > 0 ? model.repackedByteCount : nil
        cacheBytesPerThousandTokens = 1000 * model.cacheByteCountPerPosition
    }
}
