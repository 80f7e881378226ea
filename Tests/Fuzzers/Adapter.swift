// A LoRA adapter: its settings, and the header of its weights, with a zero byte between them.

import Checkpoints
import Glibc
import PhiModel

/// Opens the adapter for a tiny model, and computes a token with it. Called by libFuzzer for each
/// input.
@c(LLVMFuzzerTestOneInput)
public func readAdapter(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = FuzzerInput(start, count).parts(atMost: 2)
    files.replace(config: parts[0], header: parts.count > 1 ? parts[1] : [])
    do throws(CheckpointError) {
        let checkpoint = try AdapterCheckpoint.open(files.path)
        precondition(!checkpoint.modules.isEmpty, "an adapter changes something")
        compute(with: try Adapter(checkpoint, for: files.model))
    } catch {
        precondition(error.description.contains(files.path), "an error names its file")
    }
    return 0
}

/// Computes the logits of one token.
private func compute(with adapter: Adapter) {
    let session = files.model.makeSession(threadCount: 1, tokenCountMax: 1)
    guard let cache = try? files.model.makeCache(capacity: 1) else { return }
    let step = SequenceStep(tokens: [0], cache: cache, logitsCount: 1, adapter: adapter)
    let logits = try? session.forward([step])
    precondition(logits?[0]?.count == files.model.vocabularyCount, "a logit for each row")
}

private let files = AdapterFiles()

/// The folder of a tiny model and of an adapter whose files are replaced; fuzz.sh creates it in
/// memory.
private struct AdapterFiles {
    let path: String
    let model: PhiModel
    private let config: CInt
    private let weights: [CInt]
    /// More data than a change of the model's layers needs, all zero: inputs are headers only, and so
    /// stay small.
    private static let dataByteCount = 1 << 16

    init() {
        guard let folder = getenv("STOA_FUZZ_FOLDER") else {
            preconditionFailure("run Tests/Fuzzers/fuzz.sh instead")
        }
        let path = String(cString: folder)
        func file(_ name: String) -> CInt { open("\(path)/\(name)", O_WRONLY | O_CREAT, 0o600) }
        let settings = """
            {"model_type": "phi3", "hidden_size": 8, "intermediate_size": 8,
            "num_hidden_layers": 1, "num_attention_heads": 1, "vocab_size": 4,
            "rms_norm_eps": 1e-5, "max_position_embeddings": 64, "tie_word_embeddings": true}
            """
        write(file("config.json"), settings, settings.utf8.count)
        let shapes = [
            ("embed_tokens", "4,8", 32), ("norm", "8", 8),
            ("layers.0.input_layernorm", "8", 8), ("layers.0.post_attention_layernorm", "8", 8),
            ("layers.0.self_attn.qkv_proj", "24,8", 192), ("layers.0.self_attn.o_proj", "8,8", 64),
            ("layers.0.mlp.gate_up_proj", "16,8", 128), ("layers.0.mlp.down_proj", "8,8", 64),
        ]
        var end = 0
        let entries = shapes.map { name, shape, count in
            defer { end += 2 * count }
            return "\"model.\(name).weight\": {\"dtype\": \"BF16\", \"shape\": [\(shape)], "
                + "\"data_offsets\": [\(end), \(end + 2 * count)]}"
        }
        Self.replace(
            file("model.safetensors"),
            header: Array("{\(entries.joined(separator: ", "))}".utf8)
        )
        guard let model = try? PhiModel(folder: path) else {
            preconditionFailure("the model of this fuzzer is not valid")
        }
        self.path = path
        self.model = model
        config = file("adapter_config.json")
        weights = [file("adapters.safetensors"), file("adapter_model.safetensors")]
    }

    func replace(config bytes: [UInt8], header: [UInt8]) {
        ftruncate(config, 0)
        pwrite(config, bytes, bytes.count, 0)
        for file in weights { Self.replace(file, header: header) }
    }

    /// Writes a safetensors file with this header, and zeros.
    private static func replace(_ file: CInt, header: [UInt8]) {
        let length = withUnsafeBytes(of: UInt64(header.count).littleEndian) { Array($0) }
        ftruncate(file, 0)
        pwrite(file, length + header, 8 + header.count, 0)
        ftruncate(file, 8 + header.count + dataByteCount)
    }
}
