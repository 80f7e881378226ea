// A real checkpoint whose answers are known: each token is followed by one that the script names. Its only
// layer adds nothing, its embedding is the identity, and its head maps each token to the next.

import Foundation
import TestSupport
import Testing

/// A model of the form of Phi-4-mini that calls a function, and answers once it has the result.
struct ScriptedModel {
    static let call = #"[{"name": "get_weather", "arguments": {"city": "Oslo"}}]"#
    static let answer = "It is cold in Oslo."

    let folder: TemporaryFolder

    /// Ids of the added tokens, after those of single bytes.
    private static let special = [
        "<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>", "<|/tool|>",
        "<|tool_call|>", "<|/tool_call|>", "<|tool_response|>", "<|answer|>",
    ]
    /// What follows a token.
    private static let script = [
        "<|assistant|>": "<|tool_call|>", "<|tool_call|>": call, call: "<|/tool_call|>",
        "<|/tool_call|>": "<|end|>", "<|answer|>": answer, answer: "<|end|>",
    ]
    private static let byteCount = 256
    private static let width = 320
    private static let template = """
        {% for message in messages %}\
        {% if message['role'] == 'system' and 'tools' in message and message['tools'] is not none %}\
        {{ '<|system|>' + message['content'] + '<|tool|>' + message['tools'] + '<|/tool|><|end|>' }}\
        {% else %}{{ '<|' + message['role'] + '|>' + message['content'] + '<|end|>' }}{% endif %}\
        {% if loop.last %}{% if message['role'] == 'tool_response' %}{{ '<|answer|>' }}\
        {% else %}{{ '<|assistant|>' }}{% endif %}{% endif %}{% endfor %}
        """

    init() throws {
        folder = try TemporaryFolder()
        let config = """
            {"model_type": "phi3", "hidden_size": \(Self.width), "intermediate_size": 64, \
            "num_hidden_layers": 1, "num_attention_heads": 5, "num_key_value_heads": 5, \
            "rms_norm_eps": 1e-5, "vocab_size": \(Self.width), "max_position_embeddings": 4096, \
            "eos_token_id": \(Self.id("<|end|>"))}
            """
        try folder.write("config.json", Array(config.utf8))
        let names = ["chat_template": Self.template, "eos_token": "<|end|>"]
        try folder.write("tokenizer_config.json", Array(JSONEncoder().encode(names)))
        try folder.write("tokenizer.json", Array(Self.tokenizer()))
        try folder.write("model.safetensors", Self.weights())
    }

    private static var added: [String] { special + [call, answer] }

    private static func id(_ token: String) -> Int {
        byteCount + (added.firstIndex(of: token) ?? 0)
    }

    /// The demo model's tokenizer with single bytes and the added tokens alone.
    private static func tokenizer() throws -> Data {
        let data = try Data(contentsOf: URL(filePath: "\(DemoHub.demoFolder)/tokenizer.json"))
        var file = try #require(
            JSONSerialization.jsonObject(with: data) as? [String: Any]
        )
        var model = try #require(file["model"] as? [String: Any])
        let vocabulary = try #require(model["vocab"] as? [String: Int])
        model["vocab"] = vocabulary.filter { $0.value < byteCount }
        model["merges"] = [String]()
        file["model"] = model
        file["added_tokens"] = added.map { token -> [String: Any] in
            [
                "id": id(token), "content": token, "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false, "special": special.contains(token),
            ]
        }
        return try JSONSerialization.data(withJSONObject: file)
    }

    private static func weights() -> [UInt8] {
        var identity = [Float](repeating: 0, count: width * width)
        var head = identity
        for index in 0..<width { identity[index * width + index] = 1 }
        for (token, next) in script { head[id(next) * width + id(token)] = 1 }
        let layer = "model.layers.0"
        let norm = [Float](repeating: 1, count: width)
        let tensors: [(name: String, shape: [Int], values: [Float])] = [
            ("model.embed_tokens.weight", [width, width], identity),
            ("lm_head.weight", [width, width], head),
            ("model.norm.weight", [width], norm),
            ("\(layer).input_layernorm.weight", [width], norm),
            ("\(layer).post_attention_layernorm.weight", [width], norm),
            ("\(layer).self_attn.qkv_proj.weight", [3 * width, width], []),
            ("\(layer).self_attn.o_proj.weight", [width, width], []),
            ("\(layer).mlp.gate_up_proj.weight", [128, width], []),
            ("\(layer).mlp.down_proj.weight", [width, 64], []),
        ]
        var entries: [String] = []
        var bytes: [UInt8] = []
        for tensor in tensors {
            let count = tensor.shape.reduce(1, *)
            let values =
                tensor.values.isEmpty ? [Float](repeating: 0, count: count) : tensor.values
            let start = bytes.count
            values.withUnsafeBytes { bytes.append(contentsOf: $0) }
            entries.append(
                """
                "\(tensor.name)":{"dtype":"F32","shape":\(tensor.shape),\
                "data_offsets":[\(start),\(bytes.count)]}
                """
            )
        }
        let header = Array("{\(entries.joined(separator: ","))}".utf8)
        let length = (0..<8).map { UInt8(truncatingIfNeeded: header.count >> (8 * $0)) }
        return length + header + bytes
    }
}
