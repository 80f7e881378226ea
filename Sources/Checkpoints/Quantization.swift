// Quantization settings of config.json: MLX's modes. Each has a scale for a group of consecutive
// elements of a row; the affine one a bias, too.

/// MLX affine quantization of one matrix: value = scale * code + bias.
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

/// How one matrix is quantized.
public enum QuantizationScheme: Sendable, Equatable {
    /// Integers, with a scale and a bias for each group.
    case affine(AffineQuantization)
    /// Floats of 4 bits (E2M1), with a power of two (E8M0) as scale.
    case mxfp4
    /// Floats of 4 bits (E2M1), with a float of 8 bits (E4M3) as scale.
    case nvfp4
    /// Floats of 8 bits (E4M3), with a power of two (E8M0) as scale.
    case mxfp8

    /// Those whose codes are floats.
    public static let floats: [QuantizationScheme] = [.mxfp4, .nvfp4, .mxfp8]

    /// The name of MLX's mode.
    public var mode: String {
        switch self {
        case .affine: "affine"
        case .mxfp4: "mxfp4"
        case .nvfp4: "nvfp4"
        case .mxfp8: "mxfp8"
        }
    }

    /// Bits of a code.
    public var bits: Int {
        switch self {
        case .affine(let scheme): scheme.bits
        case .mxfp4, .nvfp4: 4
        case .mxfp8: 8
        }
    }

    /// Elements of a row that share a scale.
    public var groupSize: Int {
        switch self {
        case .affine(let scheme): scheme.groupSize
        case .mxfp4, .mxfp8: 32
        case .nvfp4: 16
        }
    }

    /// The scheme of these bits and this group size: of floats if scales are of one byte, otherwise
    /// affine. Nil if there is none.
    public init?(bits: Int, groupSize: Int, scales: ElementType) {
        if scales == .uint8 {
            let matches = { (scheme: Self) in scheme.bits == bits && scheme.groupSize == groupSize }
            guard let scheme = Self.floats.first(where: matches) else { return nil }
            self = scheme
        } else {
            let scheme = AffineQuantization(bits: bits, groupSize: groupSize)
            guard scheme.isSupported else { return nil }
            self = .affine(scheme)
        }
    }

    /// The types that scales can have.
    public var scaleTypes: [ElementType] {
        if case .affine = self { ElementType.floats } else { [.uint8] }
    }
}

/// The `quantization` object of config.json.
public struct Quantization: Sendable, Equatable {
    /// The setting of a single module.
    public enum Override: Sendable, Equatable {
        /// `false`: the module keeps its float weights.
        case none
        /// Its own scheme.
        case scheme(QuantizationScheme)
    }

    /// The scheme of all other modules; a module's tensors decide whether it is quantized at all.
    public var standard: QuantizationScheme
    /// Modules with their own setting, by path (`model.layers.0.mlp.down_proj`).
    public var overrides: [String: Override]

    /// Creates a description, which is not validated.
    public init(standard: QuantizationScheme, overrides: [String: Override]) {
        self.standard = standard
        self.overrides = overrides
    }

    /// The scheme for the module `path`; nil if it is configured as not quantized.
    public func scheme(of path: String) -> QuantizationScheme? {
        switch overrides[path] {
        case .scheme(let scheme): scheme
        case .some(.none): nil
        case nil: standard
        }
    }
}
