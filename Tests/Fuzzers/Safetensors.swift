// A safetensors file: its header, the first and last bytes of each tensor, and a model opened with
// it.

import Checkpoints
import Glibc
import PhiModel

/// Reads a safetensors header, and opens a model with it. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readSafetensors(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let file = FuzzerInput(start, count).raw
    do throws(CheckpointError) {
        let header = try SafetensorsHeader(parsing: file, path: "model.safetensors")
        for entry in header.entries where !entry.byteRange.isEmpty {
            sink = file[entry.byteRange.lowerBound] ^ file[entry.byteRange.upperBound - 1]
        }
    } catch {
        precondition(error.description.contains("model.safetensors"), "an error names its file")
    }
    folder.replaceWeights(file)
    do throws(CheckpointError) {
        let model = try PhiModel(folder: folder.path)
        precondition(model.vocabularyCount == 4)
    } catch {
        precondition(error.description.contains(folder.path), "an error names its file")
    }
    return 0
}

/// Keeps reads from being optimized away.
nonisolated(unsafe) private var sink: UInt8 = 0

private let folder = ModelFolder()

/// The folder of a tiny model whose weights are replaced; fuzz.sh creates it in memory.
private struct ModelFolder {
    let path: String
    private let weights: CInt
    /// More data than the model's tensors need, all zero: inputs are headers only, and so stay
    /// small.
    private static let dataByteCount = 1 << 16

    init() {
        guard let folder = getenv("STOA_FUZZ_FOLDER") else {
            preconditionFailure("run Tests/Fuzzers/fuzz.sh instead")
        }
        path = String(cString: folder)
        weights = open("\(path)/model.safetensors", O_WRONLY | O_CREAT, 0o600)
        let config = """
            {"model_type": "phi3", "hidden_size": 32, "intermediate_size": 32,
            "num_hidden_layers": 1, "num_attention_heads": 1, "vocab_size": 4,
            "rms_norm_eps": 1e-5, "max_position_embeddings": 64, "tie_word_embeddings": true,
            "quantization": {"bits": 4, "group_size": 32}}
            """
        let file = open("\(path)/config.json", O_WRONLY | O_CREAT, 0o600)
        write(file, config, config.utf8.count)
        close(file)
    }

    /// Writes `input` at the start of the weights file; zeros follow.
    func replaceWeights(_ input: UnsafeRawBufferPointer) {
        ftruncate(weights, 0)
        pwrite(weights, input.baseAddress, input.count, 0)
        ftruncate(weights, input.count + Self.dataByteCount)
    }
}
