// The names of tensors in checkpoints of Phi-4-multimodal, and in those that PhiModel reads. In the
// authors' files, linear layers have adapters for images and speech beside them, as PEFT names
// them; text alone is computed without. mlx-vlm puts the text model in a module of its own.

/// Translates names of tensors.
enum MultimodalTensorNames {
    /// mlx-vlm's module of the text model.
    static let languageModel = "language_model."
    /// PEFT's module of a layer's own weights.
    private static let baseLayer = ".base_layer."
    /// Encoders and projections of images and speech, by the names of the authors and of mlx-vlm.
    private static let otherParts = [
        "model.embed_tokens_extend.", "vision_tower.", "mm_projector.", "audio_encoder.",
        "audio_projection.",
    ]
    private static let adapters = [
        ".lora_A.vision.", ".lora_B.vision.", ".lora_A.speech.", ".lora_B.speech.",
    ]

    /// `model.layers.3.mlp.down_proj.weight` for
    /// `model.layers.3.mlp.down_proj.base_layer.weight`, or with `language_model.` before it; nil
    /// for a tensor that text does not need. A name that is not known stays as it is.
    static func name(of tensor: String) -> String? {
        guard !otherParts.contains(where: tensor.hasPrefix),
            !adapters.contains(where: tensor.contains)
        else { return nil }
        let isInside = tensor.hasPrefix(languageModel)
        let name = isInside ? String(tensor.dropFirst(languageModel.count)) : tensor
        return name.replacing(baseLayer, with: ".", maxReplacements: 1)
    }
}
