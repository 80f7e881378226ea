// The element types of the safetensors format. Only some are supported for computing; the others
// are known so that a file with an additional tensor can be opened.

/// The type of a tensor's elements, named as in a safetensors header; all are little-endian.
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

    /// The types of unquantized weights.
    public static let floats: [ElementType] = [.bfloat16, .float16, .float32]

    /// The size of one element in bytes.
    public var byteCount: Int {
        switch self {
        case .bool, .float8E4M3, .float8E5M2, .uint8, .int8: 1
        case .bfloat16, .float16, .uint16, .int16: 2
        case .float32, .uint32, .int32: 4
        case .float64, .uint64, .int64: 8
        }
    }
}
