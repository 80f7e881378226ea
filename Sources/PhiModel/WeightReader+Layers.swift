// The names of a layer's modules in each architecture, as mlx-lm writes them.

import Checkpoints

extension WeightReader {
    mutating func phi3Layer(_ path: String) throws(CheckpointError) -> LayerWeights {
        LayerWeights(
            inputNorm: try norm("\(path).input_layernorm"),
            queryKeyValue: try linear(
                "\(path).self_attn.qkv_proj",
                sizes.queryKeyValueWidth,
                sizes.hidden
            ),
            output: try linear("\(path).self_attn.o_proj", sizes.hidden, sizes.queryWidth),
            feedForward: .sequential(
                try norm("\(path).post_attention_layernorm"),
                try mlp("\(path).mlp.gate_up_proj", "\(path).mlp.down_proj")
            )
        )
    }

    mutating func phiLayer(_ path: String) throws(CheckpointError) -> LayerWeights {
        LayerWeights(
            inputNorm: try norm("\(path).input_layernorm"),
            queryKeyValue: try separateQueryKeyValue("\(path).self_attn"),
            output: try linear("\(path).self_attn.dense", sizes.hidden, sizes.queryWidth),
            feedForward: .parallel(try mlp("\(path).mlp.fc1", "\(path).mlp.fc2"))
        )
    }

    mutating func phi3smallLayer(_ path: String) throws(CheckpointError) -> LayerWeights {
        LayerWeights(
            inputNorm: try norm("\(path).input_layernorm"),
            queryKeyValue: try linear(
                "\(path).self_attn.query_key_value",
                sizes.queryKeyValueWidth,
                sizes.hidden
            ),
            output: try linear("\(path).self_attn.dense", sizes.hidden, sizes.queryWidth),
            feedForward: .sequential(
                try norm("\(path).post_attention_layernorm"),
                try mlp("\(path).mlp.up_proj", "\(path).mlp.down_proj")
            )
        )
    }

    mutating func phimoeLayer(_ path: String) throws(CheckpointError) -> LayerWeights {
        let mixture = "\(path).block_sparse_moe"
        return LayerWeights(
            inputNorm: try norm("\(path).input_layernorm"),
            queryKeyValue: try separateQueryKeyValue("\(path).self_attn"),
            output: try linear("\(path).self_attn.o_proj", sizes.hidden, sizes.queryWidth),
            feedForward: .experts(
                try norm("\(path).post_attention_layernorm"),
                ExpertWeights(
                    router: try linear("\(mixture).gate", sizes.expertCount, sizes.hidden),
                    experts: try experts(mixture)
                )
            )
        )
    }

    private mutating func mlp(
        _ expand: String,
        _ contract: String
    ) throws(CheckpointError) -> MLPWeights {
        MLPWeights(
            expand: try linear(expand, sizes.expandedWidth, sizes.hidden),
            contract: try linear(contract, sizes.hidden, sizes.middle)
        )
    }

    /// The experts of the module `path`: in MLX's layout, stacked in one tensor for each of their
    /// matrices, or in Hugging Face's, with modules of their own.
    private mutating func experts(_ path: String) throws(CheckpointError) -> [MLPWeights] {
        guard checkpoint.contains("\(path).experts.0.w1.weight") else {
            return try stackedExperts("\(path).switch_mlp")
        }
        var experts: [MLPWeights] = []
        for index in 0..<sizes.expertCount {
            let expert = "\(path).experts.\(index)"
            let gate = try matrix("\(expert).w1", sizes.middle, sizes.hidden)
            let up = try matrix("\(expert).w3", sizes.middle, sizes.hidden)
            let down = try matrix("\(expert).w2", sizes.hidden, sizes.middle)
            experts.append(
                MLPWeights(expand: LinearLayer([gate, up]), contract: LinearLayer([down]))
            )
        }
        return experts
    }

    private mutating func stackedExperts(
        _ path: String
    ) throws(CheckpointError) -> [MLPWeights] {
        let count = sizes.expertCount
        let (middle, hidden) = (sizes.middle, sizes.hidden)
        let gates = try matrix("\(path).gate_proj", middle, hidden, stackCount: count)
        let ups = try matrix("\(path).up_proj", middle, hidden, stackCount: count)
        let downs = try matrix("\(path).down_proj", hidden, middle, stackCount: count)
        return (0..<count).map { index in
            let gate = gates.matrix(index, rows: middle)
            let up = ups.matrix(index, rows: middle)
            return MLPWeights(
                expand: LinearLayer([gate, up]),
                contract: LinearLayer([downs.matrix(index, rows: hidden)])
            )
        }
    }
}
