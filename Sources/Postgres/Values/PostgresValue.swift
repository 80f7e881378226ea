// Parameters of statements. Values are sent separately from the statement's text, so that SQL in a
// value is not executed.

public import FoundationEssentials

/// A parameter of a statement.
public enum PostgresValue: Sendable, Hashable {
    /// NULL of the type that the statement needs.
    case null
    /// `bool`.
    case bool(Bool)
    /// `int2`.
    case int16(Int16)
    /// `int4`.
    case int32(Int32)
    /// `int8`.
    case int64(Int64)
    /// `float8`.
    case double(Double)
    /// Text; the server converts it to the type that the statement needs, such as `text` or an
    /// enumeration. It must not contain U+0000.
    case text(String)
    /// `bytea`.
    case bytes([UInt8])
    /// `uuid`.
    case uuid(UUID)
    /// `timestamptz`, to the microsecond.
    case date(Date)
    /// `text[]`.
    case textArray([String])
    /// `bytea[]`.
    case bytesArray([[UInt8]])
    /// `uuid[]`.
    case uuidArray([UUID])
    /// `int8[]`.
    case int64Array([Int64])
    /// A JSON document, sent as `jsonb`.
    case json(String)

    /// The parameter type that is sent to the server.
    var type: PostgresType {
        switch self {
        case .null, .text: .unspecified
        case .bool: .bool
        case .int16: .int16
        case .int32: .int32
        case .int64: .int64
        case .double: .double
        case .bytes: .bytes
        case .uuid: .uuid
        case .date: .timestampWithZone
        case .textArray: .textArray
        case .bytesArray: .bytesArray
        case .uuidArray: .uuidArray
        case .int64Array: .int64Array
        case .json: .jsonBinary
        }
    }

    /// Whether the value is sent in text format, not in binary format.
    var isSentAsText: Bool {
        switch self {
        case .text, .json: true
        default: false
        }
    }

    /// The encoded bytes; nil for NULL.
    var encoded: [UInt8]? {
        switch self {
        case .null: nil
        case .bool(let value): [value ? 1 : 0]
        case .int16(let value): bigEndian(value)
        case .int32(let value): bigEndian(value)
        case .int64(let value): bigEndian(value)
        case .double(let value): bigEndian(value.bitPattern)
        // libpq treats a parameter in text format as a C string.
        case .text(let value), .json(let value): Array(value.utf8) + [0]
        case .bytes(let value): value
        case .uuid(let value): value.bytes
        case .date(let value): bigEndian(value.postgresMicroseconds)
        case .textArray(let values): binaryArray(of: .text, values.map { Array($0.utf8) })
        case .bytesArray(let values): binaryArray(of: .bytes, values)
        case .uuidArray(let values): binaryArray(of: .uuid, values.map(\.bytes))
        case .int64Array(let values): binaryArray(of: .int64, values.map { bigEndian($0) })
        }
    }

    /// Whether the value contains U+0000, which PostgreSQL does not store in text.
    var holdsZeroCharacter: Bool {
        switch self {
        case .text(let value), .json(let value): value.utf8.contains(0)
        case .textArray(let values): values.contains { $0.utf8.contains(0) }
        default: false
        }
    }
}

extension PostgresValue {
    /// `text`, or NULL for nil.
    public static func text(_ value: String?) -> PostgresValue { value.map { .text($0) } ?? .null }
    /// `uuid`, or NULL for nil.
    public static func uuid(_ value: UUID?) -> PostgresValue { value.map { .uuid($0) } ?? .null }
    /// `int8`, or NULL for nil.
    public static func int64(_ value: Int64?) -> PostgresValue { value.map { .int64($0) } ?? .null }
    /// `timestamptz`, or NULL for nil.
    public static func date(_ value: Date?) -> PostgresValue { value.map { .date($0) } ?? .null }
    /// `int8`.
    public static func integer(_ value: Int) -> PostgresValue { .int64(Int64(value)) }
}

func bigEndian<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
}

/// The binary format of an array (`array_send` in PostgreSQL's arrayfuncs.c): number of dimensions,
/// whether there are NULLs, element type, then length and lower bound of each dimension, then the
/// elements.
private func binaryArray(of type: PostgresType, _ elements: [[UInt8]]) -> [UInt8] {
    let dimensionCount: Int32 = elements.isEmpty ? 0 : 1
    var result = bigEndian(dimensionCount) + bigEndian(Int32(0)) + bigEndian(type.rawValue)
    guard !elements.isEmpty else { return result }
    result += bigEndian(Int32(elements.count)) + bigEndian(Int32(1))
    for element in elements { result += bigEndian(Int32(element.count)) + element }
    return result
}

extension UUID {
    var bytes: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }
}

extension Date {
    /// 2000-01-01 00:00 UTC, PostgreSQL's epoch, in seconds since Foundation's (2001-01-01).
    private static let postgresEpoch: Double = -31_622_400

    /// Microseconds since PostgreSQL's epoch. Dates beyond its range become its infinities.
    var postgresMicroseconds: Int64 {
        let seconds = timeIntervalSinceReferenceDate - Self.postgresEpoch
        return Int64(exactly: (seconds * 1_000_000).rounded()) ?? (seconds < 0 ? .min : .max)
    }

    init(postgresMicroseconds microseconds: Int64) {
        switch microseconds {
        case .min: self = .distantPast
        case .max: self = .distantFuture
        default:
            self.init(
                timeIntervalSinceReferenceDate:
                    Double(microseconds) / 1_000_000 + Self.postgresEpoch
            )
        }
    }
}
