// Quantization settings of config.json. Only the affine scheme of MLX is supported: value = scale *
// code + bias, with a scale and a bias for each group of consecutive elements of a row.

/// MLX affine quantization of one matrix.
public struct AffineQuantization: Sendable, Equatable {
    /// Bits of a code: one of `supportedBits`.
    public var bits: Int
    /// Elements of a row that share a scale and a bias: one of `supportedGroupSizes`.
    public var groupSize: Int

    /// Creates a scheme, which is not validated.
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
    /// The setting of a single module.
    public enum Override: Sendable, Equatable {
        /// `false`: the module keeps its float weights.
        case none
        /// Its own scheme.
        case affine(AffineQuantization)
    }

    /// The scheme of all other modules; a module's tensors decide whether it is quantized at all.
    public var standard: AffineQuantization
    /// Modules with their own setting, by path (`model.layers.0.mlp.down_proj`).
    public var overrides: [String: Override]

    /// Creates a description, which is not validated.
    public init(standard: AffineQuantization, overrides: [String: Override]) {
        self.standard = standard
        self.overrides = overrides
    }

    /// The scheme for the module `path`; nil if it is configured as not quantized.
    public func scheme(of path: String) -> AffineQuantization? {
        switch overrides[path] {
        case .affine(let scheme): scheme
        case .some(.none): nil
        case nil: standard
        }
    }
}
