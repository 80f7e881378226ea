// The description of a model, as far as its folder's files exist.

import Checkpoints

/// A description of a model folder.
package struct ModelInfo: Encodable {
    /// The model's dimensions.
    package struct Sizes: Encodable {
        let hidden, intermediate, layers, heads, keyValueHeads, head, vocabulary: Int
    }

    /// The position encoding.
    package struct Rope: Encodable {
        /// "plain" or "longrope".
        let type: String
        let base: Double
        let rotatedDimensions: Int
        /// Maximum sequence length for the short factors.
        let originalContextLength: Int?
        /// The scale of rotated elements with each factor set.
        let shortMagnitude, longMagnitude: Double?
    }

    /// The default quantization of the weights.
    package struct Quantization: Encodable {
        let mode: String
        let bits, groupSize: Int
        /// Modules with another quantization, or none.
        let otherModules: Int
    }

    /// The contents of the safetensors or GGUF files.
    package struct Weights: Encodable {
        let files, tensors, bytes: Int
        /// The number of tensors by element type.
        let dtypes: [String: Int]
        /// The memory of weights that are not used in place.
        let repackedBytes: Int?
        /// KV cache bytes per 1,000 tokens of a conversation.
        let cacheBytesPerThousandTokens: Int
    }

    /// A token that ends an answer.
    package struct StopToken: Encodable {
        let id: TokenID
        let text: String?
    }

    /// The contents of the tokenizer's file or of a GGUF file's vocabulary.
    package struct TokenizerInfo: Encodable {
        let tokens, addedTokens: Int
    }

    /// Hashes that identify the files.
    package struct Hashes: Encodable {
        /// As in receipts.
        let model, template: String?
        /// SHA-256 of the tokenizer's file.
        let tokenizer: String?
    }

    let name, folder: String
    let architecture: String
    let parameters: Int
    let contextLength: Int
    let sizes: Sizes
    let tiedEmbeddings: Bool
    let rope: Rope
    let slidingWindow: Int?
    let quantization: Quantization?
    let weights: Weights?
    let stopTokens: [StopToken]
    let tokenizer: TokenizerInfo?
    /// The file of the chat template, or that it is built in.
    let template: String?
    /// Whether it thinks before it answers: its template asks for that, or its name says so.
    let thinks: Bool
    /// Whether prompts have the system prompts that they are given; nil without a template.
    let writesSystemPrompts: Bool?
    let hashes: Hashes
}
