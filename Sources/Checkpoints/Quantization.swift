// How config.json says that weights are quantized. Only the affine scheme of MLX is known here:
// value = scale * code + bias, with a scale and a bias for each group of consecutive elements of a
// row.

/// MLX affine quantization of one matrix.
public struct AffineQuantization: Sendable, Equatable {
    /// Bits of a code: one of `supportedBits`.
    public var bits: Int
    /// Elements of a row that share a scale and a bias: one of `supportedGroupSizes`.
    public var groupSize: Int

    /// A scheme; not checked.
    public init(bits: Int, groupSize: Int) {
        self.bits = bits
        self.groupSize = groupSize
    }

    /// The bits that kernels exist for.
    public static let supportedBits = [2, 3, 4, 5, 6, 8]
    /// The group sizes that kernels exist for.
    public static let supportedGroupSizes = [32, 64, 128]

    /// Whether kernels exist for this scheme.
    public var isSupported: Bool {
        Self.supportedBits.contains(bits) && Self.supportedGroupSizes.contains(groupSize)
    }
}

/// The `quantization` object of config.json.
public struct Quantization: Sendable, Equatable {
    /// What the object says for a module that it names.
    public enum Override: Sendable, Equatable {
        /// `false`: the module keeps its float weights.
        case none
        /// Its own scheme.
        case affine(AffineQuantization)
    }

    /// The scheme of modules that are not named; a module's tensors decide whether it has one at
    /// all.
    public var standard: AffineQuantization
    /// Modules with a setting of their own, by path (`model.layers.0.mlp.down_proj`).
    public var overrides: [String: Override]

    /// A description; not checked.
    public init(standard: AffineQuantization, overrides: [String: Override]) {
        self.standard = standard
        self.overrides = overrides
    }

    /// The scheme that the module `path` should have; nil where it is said not to be quantized.
    public func scheme(of path: String) -> AffineQuantization? {
        switch overrides[path] {
        case .affine(let scheme): scheme
        case .some(.none): nil
        case nil: standard
        }
    }
}
