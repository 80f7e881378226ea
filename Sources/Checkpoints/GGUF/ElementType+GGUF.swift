// The types of tensors in GGUF files, by their numbers in ggml.

extension ElementType {
    /// All types of ggml, by number; those that it removed are empty.
    private static let ggmlNames = [
        "F32", "F16", "Q4_0", "Q4_1", "", "", "Q5_0", "Q5_1", "Q8_0", "Q8_1", "Q2_K", "Q3_K",
        "Q4_K",
        "Q5_K", "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S", "IQ2_S",
        "IQ4_XS", "I8", "I16", "I32", "I64", "F64", "IQ1_M", "BF16", "Q4_0_4_4", "Q4_0_4_8",
        "Q4_0_8_8", "TQ1_0", "TQ2_0", "IQ4_NL_4_4", "IQ4_NL_4_8", "IQ4_NL_8_8", "MXFP4", "NVFP4",
        "Q1_0", "Q2_0",
    ]

    /// The type with this number.
    /// - Throws: `.unsupported`, which names it.
    init(ggml number: UInt32, tensor: String, path: String) throws(CheckpointError) {
        let name = number < Self.ggmlNames.count ? Self.ggmlNames[Int(number)] : ""
        guard let type = ElementType(rawValue: name) else {
            throw .unsupported(
                path: path,
                what: "the tensor \(tensor), of type",
                found: name.isEmpty ? "\(number)," : "\(name),",
                supported: "weights of type F32, F16, BF16, "
                    + Self.blocks.map(\.rawValue).joined(separator: ", ")
            )
        }
        self = type
    }

    /// Types of blocks of quantized weights, which cannot be computed on in place: they are repacked
    /// when a model is loaded.
    public static let blocks: [ElementType] = [
        .q4_0, .q4_1, .q5_0, .q5_1, .q8_0, .q4K, .q5K, .q6K,
    ]

    /// Whether weights of this type are in blocks.
    public var isBlocked: Bool { blockElementCount > 1 }

    /// The size in bytes of a row-major array of this shape; nil if it is too large, or its rows are
    /// no whole blocks.
    package func byteCount(shape: [Int]) -> Int? {
        var sizes = shape
        if isBlocked {
            guard let columns = sizes.popLast(), columns.isMultiple(of: blockElementCount) else {
                return nil
            }
            sizes.append(columns / blockElementCount)
        }
        var product = byteCount
        for size in sizes {
            let (next, overflow) = product.multipliedReportingOverflow(by: size)
            if overflow || size < 0 { return nil }
            product = next
        }
        return product
    }
}
