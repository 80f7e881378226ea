// What the modules below can fail with, in the engine's terms. Their texts are kept: only they know
// what is wrong.

import Checkpoints
import PhiModel
import Tokenizers

extension EngineError {
    /// The engine's name for weights or settings that cannot be used.
    init(_ error: CheckpointError, loading folder: String) {
        let reason = error.description
        switch error {
        case .notAFolder, .missingFile, .noWeights, .unreadable:
            self = .modelMissing(folder: folder, reason: reason)
        case .unsupported:
            self = .modelUnsupported(folder: folder, reason: reason)
        case .unknownKernels:
            self = .unknownKernels(reason: reason)
        case .malformedJSON, .malformedWeights, .duplicateTensor, .missingTensor, .wrongShape,
            .wrongType, .unexpectedTensor, .missingSetting, .invalidSetting:
            self = .modelDamaged(folder: folder, reason: reason)
        }
    }

    /// The engine's name for a tokenizer or template that cannot be used.
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

    /// The engine's name for a pass or a cache that is refused.
    init(_ error: ForwardError) {
        switch error {
        case .outOfMemory(let byteCount):
            self = .outOfMemory(byteCount: byteCount)
        case .tokenOutOfRange, .cacheFull, .batchTooLarge:
            self = .modelBroken(reason: "\(error)")
        }
    }
}
