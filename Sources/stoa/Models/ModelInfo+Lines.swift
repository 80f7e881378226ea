// Prints a model's description.

import Checkpoints
import TerminalText

extension ModelInfo {
    /// The lines of the description, with names in a column.
    package var lines: [String] {
        let rows: [(String, String?)] = [
            ("model", name),
            ("architecture", "\(architecture), \(Self.grouped(parameters)) parameters"),
            ("context", "\(contextLength) tokens"),
            ("sizes", sizesText),
            ("positions", ropeText),
            ("quantization", quantizationText),
            ("weights", weightsText),
            ("memory", memoryText),
            ("ends with", stopTokens.map { $0.text ?? "\($0.id)" }.joined(separator: " ")),
            ("tokenizer", tokenizer.map { "\($0.tokens) tokens, \($0.addedTokens) of them added" }),
            ("template", templateText),
            ("thinking", thinks ? "yes; --model-thinking limits it" : "no"),
            ("model's hash", hashes.model),
            ("template's hash", hashes.template),
            ("tokenizer's hash", hashes.tokenizer),
        ]
        return rows.map { name, text in
            let padding = String(repeating: " ", count: 18 - name.count)
            return TerminalSanitizer.clean("\(name)\(padding)\(text ?? "not in this folder")")
        }
    }

    private var templateText: String? {
        template.map { path in
            writesSystemPrompts == false
                ? "\(path), with a system prompt of its own instead of the server's" : path
        }
    }

    private var sizesText: String {
        "\(sizes.layers) layers of width \(sizes.hidden) and \(sizes.intermediate), \(sizes.heads) heads "
            + "(\(sizes.keyValueHeads) of keys) of \(sizes.head), vocabulary \(sizes.vocabulary)"
            + (tiedEmbeddings ? ", embedding tied" : "")
    }

    private var ropeText: String {
        var text =
            "rotary, \(rope.rotatedDimensions) of \(sizes.head) dimensions, base \(rope.base)"
        if let original = rope.originalContextLength {
            text += ", LongRoPE with its seam at \(original) tokens"
        }
        return text
    }

    private var quantizationText: String {
        guard let quantization else { return blockTypes.isEmpty ? "none" : blockTypes }
        let others = quantization.otherModules
        return
            "\(quantization.mode), \(quantization.bits) bits in groups of \(quantization.groupSize)"
            + (others > 0 ? ", \(others) modules otherwise" : "")
    }

    /// The types of a GGUF file's blocks, for example "Q4_K, Q6_K".
    private var blockTypes: String {
        let types = (weights?.dtypes ?? [:]).keys.filter { name in
            ElementType(rawValue: name).map(ElementType.blocks.contains) ?? false
        }
        return types.sorted().joined(separator: ", ")
    }

    private var weightsText: String? {
        weights.map { weights in
            let types = weights.dtypes.sorted { $0.key < $1.key }
                .map { "\($0.value) \($0.key)" }.joined(separator: ", ")
            return
                "\(Self.mebibytes(weights.bytes)) in \(weights.files == 1 ? "one file" : "\(weights.files) files"): \(types)"
        }
    }

    private var memoryText: String? {
        weights.map { weights in
            "\(Self.mebibytes(weights.cacheBytesPerThousandTokens)) for 1000 tokens"
                + (weights.repackedBytes.map { ", \(Self.mebibytes($0)) for weights" } ?? "")
        }
    }

    /// For example "3,821,079,552".
    private static func grouped(_ count: Int) -> String {
        let digits = Array("\(count)")
        return digits.indices.reduce(into: "") { text, index in
            if index > 0, (digits.count - index).isMultiple(of: 3) { text += "," }
            text.append(digits[index])
        }
    }

    private static func mebibytes(_ byteCount: Int) -> String {
        "\((Double(byteCount) / 104_857.6).rounded() / 10) MiB"
    }
}
