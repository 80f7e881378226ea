// The names of tensors in GGUF files, and in the checkpoints that PhiModel reads. The matrices are
// the same: queries, keys and values are fused, and so are gate and up; rows are not permuted, since
// the rotation is NeoX's in both.

/// Translates names of tensors.
enum GGUFTensorNames {
    private static let modules = [
        "token_embd": "model.embed_tokens",
        "output_norm": "model.norm",
        "output": "lm_head",
    ]
    private static let layerModules = [
        "attn_norm": "input_layernorm",
        "attn_qkv": "self_attn.qkv_proj",
        "attn_output": "self_attn.o_proj",
        "ffn_norm": "post_attention_layernorm",
        "ffn_up": "mlp.gate_up_proj",
        "ffn_down": "mlp.down_proj",
    ]
    /// LongRoPE's factors, which belong to the configuration.
    static let shortFactors = "rope_factors_short.weight"
    static let longFactors = "rope_factors_long.weight"

    /// `model.layers.3.mlp.down_proj.weight` for `blk.3.ffn_down.weight`; a name that is not known
    /// stays as it is.
    static func name(of tensor: String) -> String {
        let parts = tensor.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        switch parts.count {
        case 2:
            guard let module = modules[parts[0]] else { return tensor }
            return "\(module).\(parts[1])"
        case 4:
            guard parts[0] == "blk", let module = layerModules[parts[2]] else { return tensor }
            return "model.layers.\(parts[1]).\(module).\(parts[3])"
        default:
            return tensor
        }
    }
}
