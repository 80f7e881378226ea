// Decoding of PostgreSQL's types into Swift types.

public import FoundationEssentials

/// A type that can be decoded from a value of a result.
public protocol PostgresDecodable {
    /// Decodes `cell`; nil if its type or NULL does not fit.
    init?(postgres cell: PostgresCell)
}

extension Bool: PostgresDecodable {
    /// Reads `bool`.
    public init?(postgres cell: PostgresCell) {
        guard let byte = try? cell.integer(.bool, as: UInt8.self) else { return nil }
        self = byte != 0
    }
}

extension Int16: PostgresDecodable {
    /// Reads an integer that fits.
    public init?(postgres cell: PostgresCell) {
        guard let value: Int16 = try? cell.anyInteger() else { return nil }
        self = value
    }
}

extension Int32: PostgresDecodable {
    /// Reads an integer that fits.
    public init?(postgres cell: PostgresCell) {
        guard let value: Int32 = try? cell.anyInteger() else { return nil }
        self = value
    }
}

extension Int64: PostgresDecodable {
    /// Reads an integer of any size.
    public init?(postgres cell: PostgresCell) {
        guard let value: Int64 = try? cell.anyInteger() else { return nil }
        self = value
    }
}

extension Int: PostgresDecodable {
    /// Reads an integer of any size.
    public init?(postgres cell: PostgresCell) {
        guard let value: Int = try? cell.anyInteger() else { return nil }
        self = value
    }
}

extension Double: PostgresDecodable {
    /// Reads `float8` or `float4`; `numeric` needs a cast in the statement.
    public init?(postgres cell: PostgresCell) {
        if let bits = try? cell.integer(.double, as: UInt64.self) {
            self = Double(bitPattern: bits)
        } else if let bits = try? cell.integer(.float, as: UInt32.self) {
            self = Double(Float(bitPattern: bits))
        } else {
            return nil
        }
    }
}

extension String: PostgresDecodable {
    /// Reads any text, an enumeration's label, `json` or `jsonb`.
    public init?(postgres cell: PostgresCell) {
        guard let bytes = cell.bytes else { return nil }
        if cell.type.isText {
            self = String(decoding: bytes, as: UTF8.self)
        } else if cell.type == .jsonBinary, bytes.first == 1 {
            // A version byte, then the text (`jsonb_send`).
            self = String(decoding: bytes.dropFirst(), as: UTF8.self)
        } else {
            return nil
        }
    }
}

extension UUID: PostgresDecodable {
    /// Reads `uuid`.
    public init?(postgres cell: PostgresCell) {
        guard let bytes = try? cell.content(of: .uuid), bytes.count == 16 else { return nil }
        self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension Date: PostgresDecodable {
    /// Reads `timestamptz`, or `timestamp` as UTC.
    public init?(postgres cell: PostgresCell) {
        if let value = try? cell.integer(.timestampWithZone, as: Int64.self) {
            self.init(postgresMicroseconds: value)
        } else if let value = try? cell.integer(.timestamp, as: Int64.self) {
            self.init(postgresMicroseconds: value)
        } else {
            return nil
        }
    }
}

/// A type that can be decoded as an array element.
public protocol PostgresArrayElement: PostgresDecodable {
    /// The elements of `cell`; nil if its type does not fit or an element is NULL.
    static func elements(postgres cell: PostgresCell) -> [Self]?
}

extension Array: PostgresDecodable where Element: PostgresArrayElement {
    /// Reads a one-dimensional array without NULLs; `[UInt8]` reads `bytea`.
    public init?(postgres cell: PostgresCell) {
        guard let elements = Element.elements(postgres: cell) else { return nil }
        self = elements
    }
}

extension UInt8: PostgresArrayElement {
    /// Always nil: PostgreSQL has no single-byte type.
    public init?(postgres cell: PostgresCell) { nil }

    /// Reads `bytea`.
    public static func elements(postgres cell: PostgresCell) -> [UInt8]? {
        (try? cell.content(of: .bytes)).map { Array($0) }
    }
}

extension String: PostgresArrayElement {
    /// Reads `text[]`.
    public static func elements(postgres cell: PostgresCell) -> [String]? {
        decodeAll(try? cell.elements(.textArray, of: .text))
    }
}

extension UUID: PostgresArrayElement {
    /// Reads `uuid[]`.
    public static func elements(postgres cell: PostgresCell) -> [UUID]? {
        decodeAll(try? cell.elements(.uuidArray, of: .uuid))
    }
}

extension Int64: PostgresArrayElement {
    /// Reads `int8[]` or `int4[]`.
    public static func elements(postgres cell: PostgresCell) -> [Int64]? {
        decodeAll(
            (try? cell.elements(.int64Array, of: .int64))
                ?? (try? cell.elements(.int32Array, of: .int32))
        )
    }
}

extension Optional: PostgresDecodable where Wrapped: PostgresDecodable {
    /// Reads NULL as nil, everything else as `Wrapped`.
    public init?(postgres cell: PostgresCell) {
        if cell.bytes == nil {
            self = Wrapped?.none
        } else if let value = Wrapped(postgres: cell) {
            self = value
        } else {
            return nil
        }
    }
}

private func decodeAll<Element: PostgresDecodable>(_ cells: [PostgresCell]?) -> [Element]? {
    guard let cells else { return nil }
    var elements: [Element] = []
    elements.reserveCapacity(cells.count)
    for cell in cells {
        guard let element = Element(postgres: cell) else { return nil }
        elements.append(element)
    }
    return elements
}
