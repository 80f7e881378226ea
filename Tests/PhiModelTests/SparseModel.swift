// A large model whose files use no disk space: all its weights are holes, that is zeros.

import Checkpoints
import Glibc
import TestSupport
import Testing

/// A checkpoint in 4 bits with the proportions of a real model.
struct SparseModel {
    static let hidden = 1024
    static let middle = 4096
    static let vocabulary = 32_768
    static let layerCount = 4

    let folder: TemporaryFolder
    /// The weights' size in the file.
    let byteCount: Int

    init() throws {
        folder = try TemporaryFolder()
        let config = """
            {"model_type": "phi3", "hidden_size": \(Self.hidden), \
            "intermediate_size": \(Self.middle), "num_hidden_layers": \(Self.layerCount), \
            "num_attention_heads": 16, "num_key_value_heads": 16, "rms_norm_eps": 1e-5, \
            "vocab_size": \(Self.vocabulary), "max_position_embeddings": 4096, \
            "quantization": {"group_size": 64, "bits": 4}}
            """
        try folder.write("config.json", Array(config.utf8))

        var header = SparseHeader()
        header.addMatrix("model.embed_tokens", Self.vocabulary, Self.hidden)
        header.addMatrix("lm_head", Self.vocabulary, Self.hidden)
        header.addTensor("model.norm.weight", "BF16", [Self.hidden])
        for layer in 0..<Self.layerCount {
            let path = "model.layers.\(layer)"
            header.addTensor("\(path).input_layernorm.weight", "BF16", [Self.hidden])
            header.addTensor("\(path).post_attention_layernorm.weight", "BF16", [Self.hidden])
            header.addMatrix("\(path).self_attn.qkv_proj", 3 * Self.hidden, Self.hidden)
            header.addMatrix("\(path).self_attn.o_proj", Self.hidden, Self.hidden)
            header.addMatrix("\(path).mlp.gate_up_proj", 2 * Self.middle, Self.hidden)
            header.addMatrix("\(path).mlp.down_proj", Self.hidden, Self.middle)
        }
        byteCount = header.dataByteCount
        let text = Array("{\(header.entries.joined(separator: ","))}".utf8)
        let length = (0..<8).map { UInt8(truncatingIfNeeded: text.count >> (8 * $0)) }
        let path = try folder.write("model.safetensors", length + text)
        try #require(truncate(path, 8 + text.count + byteCount) == 0)
    }
}

/// A safetensors header under construction.
private struct SparseHeader {
    private(set) var entries: [String] = []
    private(set) var dataByteCount = 0

    /// A module in 4 bits by groups of 64.
    mutating func addMatrix(_ path: String, _ rows: Int, _ columns: Int) {
        addTensor("\(path).weight", "U32", [rows, columns / 8])
        addTensor("\(path).scales", "BF16", [rows, columns / 64])
        addTensor("\(path).biases", "BF16", [rows, columns / 64])
    }

    mutating func addTensor(_ name: String, _ type: String, _ shape: [Int]) {
        let end = dataByteCount + shape.reduce(type == "U32" ? 4 : 2, *)
        entries.append(
            """
            "\(name)":{"dtype":"\(type)","shape":\(shape),"data_offsets":[\(dataByteCount),\(end)]}
            """
        )
        dataByteCount = end
    }
}

/// The private memory of a process in bytes: without files and shared memory.
func anonymousByteCount() throws -> Int {
    let file = try #require(fopen("/proc/self/smaps_rollup", "r"))
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
        let words = text.split(separator: " ")
        if words.first == "Anonymous:", let kibibytes = Int(words[1]) { return kibibytes * 1024 }
    }
    throw MissingGolden(what: "Anonymous in smaps_rollup")
}
