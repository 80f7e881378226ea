// Conversion of errors of lower modules. Their descriptions are kept, since only they know the
// details.

import Checkpoints
import PhiModel
import Tokenizers

extension EngineError {
    /// The engine error for unusable weights or settings.
    init(_ error: CheckpointError, loading folder: String) {
        let reason = error.description
        switch error {
        case .notAFolder, .missingFile, .noWeights, .unreadable, .noAdapter:
            self = .modelMissing(folder: folder, reason: reason)
        case .unsupported, .unsupportedAdapter:
            self = .modelUnsupported(folder: folder, reason: reason)
        case .unknownKernels:
            self = .unknownKernels(reason: reason)
        case .malformedJSON, .malformedWeights, .duplicateTensor, .missingTensor, .wrongShape,
            .wrongType, .unexpectedTensor, .missingSetting, .invalidSetting, .mismatchedAdapter:
            self = .modelDamaged(folder: folder, reason: reason)
        }
    }

    /// The engine error for an unusable tokenizer or template.
    init(_ error: TokenizerError, loading folder: String) {
        let reason = error.description
        switch error {
        case .file(let cause):
            self.init(cause, loading: folder)
        case .noTemplate:
            self = .modelMissing(folder: folder, reason: reason)
        case .unsupported, .template:
            self = .modelUnsupported(folder: folder, reason: reason)
        case .malformed:
            self = .modelDamaged(folder: folder, reason: reason)
        }
    }

    /// The engine error for a refused pass or cache.
    init(_ error: ForwardError) {
        switch error {
        case .outOfMemory(let byteCount):
            self = .outOfMemory(byteCount: byteCount)
        case .tokenOutOfRange, .cacheFull, .batchTooLarge:
            self = .modelBroken(reason: "\(error)")
        }
    }
}
