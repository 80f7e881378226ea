// The element types of the safetensors and GGUF formats. Only some are supported for computing; the
// others are known so that a file with an additional tensor can be opened.

/// The type of a tensor's elements, named as in a safetensors header or in ggml; all are
/// little-endian.
public enum ElementType: String, Sendable, Equatable {
    /// The upper half of an IEEE single.
    case bfloat16 = "BF16"
    /// IEEE half.
    case float16 = "F16"
    /// IEEE single.
    case float32 = "F32"
    /// IEEE double.
    case float64 = "F64"
    /// Packed quantized codes, in MLX checkpoints.
    case uint32 = "U32"
    /// Not supported for computing, like all that follow.
    case bool = "BOOL"
    /// 8-bit float, 4 exponent bits.
    case float8E4M3 = "F8_E4M3"
    /// 8-bit float, 5 exponent bits.
    case float8E5M2 = "F8_E5M2"
    /// Unsigned, 8 bits.
    case uint8 = "U8"
    /// Signed, 8 bits.
    case int8 = "I8"
    /// Unsigned, 16 bits.
    case uint16 = "U16"
    /// Signed, 16 bits.
    case int16 = "I16"
    /// Signed, 32 bits.
    case int32 = "I32"
    /// Unsigned, 64 bits.
    case uint64 = "U64"
    /// Signed, 64 bits.
    case int64 = "I64"
    /// GGUF's blocks of 32 weights of 4 bits, with a scale.
    case q4_0 = "Q4_0"
    /// The same with a scale and a minimum.
    case q4_1 = "Q4_1"
    /// Blocks of 32 weights of 5 bits, with a scale.
    case q5_0 = "Q5_0"
    /// The same with a scale and a minimum.
    case q5_1 = "Q5_1"
    /// Blocks of 32 weights of 8 bits, with a scale.
    case q8_0 = "Q8_0"
    /// Blocks of 256 weights of 4 bits, with a scale and a minimum for each 32.
    case q4K = "Q4_K"
    /// Blocks of 256 weights of 5 bits, with a scale and a minimum for each 32.
    case q5K = "Q5_K"
    /// Blocks of 256 weights of 6 bits, with a scale for each 16.
    case q6K = "Q6_K"

    /// The types of unquantized weights.
    public static let floats: [ElementType] = [.bfloat16, .float16, .float32]

    /// The elements of a block; 1 for types without blocks.
    public var blockElementCount: Int {
        switch self {
        case .q4_0, .q4_1, .q5_0, .q5_1, .q8_0: 32
        case .q4K, .q5K, .q6K: 256
        default: 1
        }
    }

    /// The size of one element in bytes, or of one block.
    public var byteCount: Int {
        switch self {
        case .bool, .float8E4M3, .float8E5M2, .uint8, .int8: 1
        case .bfloat16, .float16, .uint16, .int16: 2
        case .float32, .uint32, .int32: 4
        case .float64, .uint64, .int64: 8
        case .q4_0: 18
        case .q4_1: 20
        case .q5_0: 22
        case .q5_1: 24
        case .q8_0: 34
        case .q4K: 144
        case .q5K: 176
        case .q6K: 210
        }
    }
}
