// LoRA adapters with random weights, in mlx-lm's format.

/// Writes adapters of the demo model.
public enum RandomAdapter {
    /// Writes an adapter of the demo model's queries, keys, values and down projections into a new
    /// folder.
    /// - Parameters:
    ///   - seed: another one gives other weights.
    ///   - rank: the rank of its changes.
    ///   - gain: how large they are; 1 changes most answers.
    ///   - hidden: the width of the layers that it is for; the demo model's unless it is not to fit.
    /// - Returns: the folder, which is removed with this value.
    /// - Throws: if it cannot be written.
    public static func ofDemoModel(
        seed: UInt64,
        rank: Int = 3,
        gain: Float = 1,
        hidden: Int = DemoShape.hidden
    ) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let config = """
            {"fine_tune_type": "lora", "num_layers": -1,
            "lora_parameters": {"rank": \(rank), "scale": 2.0, "dropout": 0.0}}
            """
        try folder.write("adapter_config.json", Array(config.utf8))
        try folder.write("adapters.safetensors", weights(seed, rank, gain, hidden))
        return folder
    }

    private static func weights(
        _ seed: UInt64,
        _ rank: Int,
        _ gain: Float,
        _ hidden: Int
    ) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        var entries: [String] = []
        var data: [UInt8] = []
        func add(_ name: String, _ rows: Int, _ columns: Int, _ size: Float) {
            let start = data.count
            for _ in 0..<rows * columns {
                let number = Float.random(in: -size...size, using: &random)
                withUnsafeBytes(of: number.bitPattern.littleEndian) { data += $0 }
            }
            entries.append(
                "\"\(name)\": {\"dtype\": \"F32\", \"shape\": [\(rows), \(columns)], "
                    + "\"data_offsets\": [\(start), \(data.count)]}"
            )
        }
        for layer in 0..<DemoShape.layerCount {
            let modules = [
                ("self_attn.qkv_proj", hidden, DemoShape.queryKeyValueWidth),
                ("mlp.down_proj", DemoShape.middle, hidden),
            ]
            for (name, inputs, outputs) in modules {
                let path = "model.layers.\(layer).\(name)"
                add("\(path).lora_a", inputs, rank, 1)
                add("\(path).lora_b", rank, outputs, gain / 4)
            }
        }
        let header = Array("{\(entries.joined(separator: ", "))}".utf8)
        return withUnsafeBytes(of: UInt64(header.count).littleEndian) { Array($0) } + header + data
    }

    /// The demo model's sizes.
    public enum DemoShape {
        static let layerCount = 4
        /// The width of a layer's input.
        public static let hidden = 256
        static let middle = 576
        static let queryKeyValueWidth = 768
    }
}
