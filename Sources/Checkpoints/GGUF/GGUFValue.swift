// The values of a GGUF file's metadata. Strings and arrays stay in the file: a vocabulary of 200,000
// tokens is read once, when the tokenizer is created.

/// A value of the metadata.
package enum GGUFValue: Sendable {
    /// Of any of the eight integer types.
    case integer(Int)
    /// Of 32 or 64 bits.
    case number(Double)
    /// A truth value.
    case bool(Bool)
    /// The range of a string in the file.
    case string(Range<Int>)
    /// Elements of one type.
    case array(GGUFArray)
}

/// An array in the file.
package struct GGUFArray: Sendable {
    let elementType: GGUFValueType
    let count: Int
    /// The elements, without their type and count.
    let range: Range<Int>
}

/// The types of values, by their numbers in a file.
enum GGUFValueType: UInt32, Sendable {
    case uint8, int8, uint16, int16, uint32, int32, float32, bool, string, array
    case uint64, int64, float64

    /// The size of a value in bytes; the smallest one for strings and arrays.
    var byteCountMin: Int {
        switch self {
        case .uint8, .int8, .bool: 1
        case .uint16, .int16: 2
        case .uint32, .int32, .float32: 4
        case .uint64, .int64, .float64, .string: 8
        case .array: 12
        }
    }
}

extension GGUFCursor {
    /// The type of a value.
    mutating func valueType(_ what: String) throws(CheckpointError) -> GGUFValueType {
        let number = try number(UInt32.self, "the type of \(what)")
        guard let type = GGUFValueType(rawValue: number) else {
            throw damaged("\(what) has the unknown type \(number)")
        }
        return type
    }

    /// A value of `type`, which is that of `key`.
    mutating func value(
        _ type: GGUFValueType,
        _ key: String
    ) throws(CheckpointError) -> GGUFValue {
        switch type {
        case .uint8: return .integer(Int(try number(UInt8.self, key)))
        case .int8: return .integer(Int(try number(Int8.self, key)))
        case .uint16: return .integer(Int(try number(UInt16.self, key)))
        case .int16: return .integer(Int(try number(Int16.self, key)))
        case .uint32: return .integer(Int(try number(UInt32.self, key)))
        case .int32: return .integer(Int(try number(Int32.self, key)))
        case .int64: return .integer(Int(try number(Int64.self, key)))
        case .uint64:
            guard let integer = Int(exactly: try number(UInt64.self, key)) else {
                throw damaged("\(key) is beyond 64 bits with a sign")
            }
            return .integer(integer)
        case .float32:
            return .number(Double(Float(bitPattern: try number(UInt32.self, key))))
        case .float64:
            return .number(Double(bitPattern: try number(UInt64.self, key)))
        case .bool: return .bool(try number(UInt8.self, key) != 0)
        case .string: return .string(try string(key))
        case .array: return .array(try array(key))
        }
    }

    /// Moves over an array. Its strings are only counted and measured.
    private mutating func array(_ key: String) throws(CheckpointError) -> GGUFArray {
        let type = try valueType("the elements of \(key)")
        guard type != .array else { throw damaged("\(key) is an array of arrays") }
        let count = try count(of: type.byteCountMin, "the length of \(key)")
        let start = offset
        if type == .string {
            for _ in 0..<count { _ = try string("an element of \(key)") }
        } else {
            _ = try skip(count * type.byteCountMin, key)
        }
        return GGUFArray(elementType: type, count: count, range: start..<offset)
    }
}
