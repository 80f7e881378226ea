// What a model folder's files say about the model, as far as they are there.

import Checkpoints

/// A description of a model folder.
package struct ModelInfo: Encodable {
    /// The model's measures.
    package struct Sizes: Encodable {
        let hidden, intermediate, layers, heads, keyValueHeads, head, vocabulary: Int
    }

    /// How positions are encoded.
    package struct Rope: Encodable {
        /// "plain" or "longrope".
        let type: String
        let base: Double
        let rotatedDimensions: Int
        /// The longest sequence for the short factors.
        let originalContextLength: Int?
        /// What rotated elements are multiplied by, with each set.
        let shortMagnitude, longMagnitude: Double?
    }

    /// How the weights are packed where nothing else is said of a module.
    package struct Quantization: Encodable {
        let bits, groupSize: Int
        /// Modules with a scheme of their own, or none.
        let otherModules: Int
    }

    /// What the safetensors files hold.
    package struct Weights: Encodable {
        let files, tensors, bytes: Int
        /// Tensors of each element type.
        let dtypes: [String: Int]
        /// What 1,000 tokens of one conversation take, while it is answered.
        let cacheBytesPerThousandTokens: Int
    }

    /// A token that ends an answer.
    package struct StopToken: Encodable {
        let id: TokenID
        let text: String?
    }

    /// What tokenizer.json holds.
    package struct TokenizerInfo: Encodable {
        let tokens, addedTokens: Int
    }

    /// Which files those are, bit by bit or nearly so.
    package struct Hashes: Encodable {
        /// As in receipts.
        let model, template: String?
        /// SHA-256 of tokenizer.json.
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
    let hashes: Hashes
}
