// The object identifiers of the types that we send and read (pg_type.dat of PostgreSQL; they are
// stable).

/// A type of PostgreSQL, by its object identifier.
struct PostgresType: Hashable, RawRepresentable, Sendable {
    let rawValue: UInt32

    /// The server infers the type.
    static let unspecified = PostgresType(rawValue: 0)
    static let bool = PostgresType(rawValue: 16)
    static let bytes = PostgresType(rawValue: 17)
    static let name = PostgresType(rawValue: 19)
    static let int64 = PostgresType(rawValue: 20)
    static let int16 = PostgresType(rawValue: 21)
    static let int32 = PostgresType(rawValue: 23)
    static let text = PostgresType(rawValue: 25)
    static let objectIdentifier = PostgresType(rawValue: 26)
    static let json = PostgresType(rawValue: 114)
    static let float = PostgresType(rawValue: 700)
    static let double = PostgresType(rawValue: 701)
    static let unknown = PostgresType(rawValue: 705)
    static let int64Array = PostgresType(rawValue: 1016)
    static let int32Array = PostgresType(rawValue: 1007)
    static let bytesArray = PostgresType(rawValue: 1001)
    static let textArray = PostgresType(rawValue: 1009)
    static let paddedText = PostgresType(rawValue: 1042)
    static let limitedText = PostgresType(rawValue: 1043)
    static let timestamp = PostgresType(rawValue: 1114)
    static let timestampWithZone = PostgresType(rawValue: 1184)
    static let uuid = PostgresType(rawValue: 2950)
    static let uuidArray = PostgresType(rawValue: 2951)
    static let jsonBinary = PostgresType(rawValue: 3802)

    /// The first identifier of types created in the database; of those we read enumerations and
    /// domains of text (citext), which have the format of text.
    static let firstOfDatabase: UInt32 = 16384

    /// Whether the binary format is the text itself.
    var isText: Bool {
        switch self {
        case .text, .name, .json, .unknown, .paddedText, .limitedText: true
        default: rawValue >= Self.firstOfDatabase
        }
    }

    /// The name in errors.
    var displayName: String {
        let names: [PostgresType: String] = [
            .bool: "bool", .bytes: "bytea", .bytesArray: "bytea[]", .int64: "int8", .int16: "int2",
            .int32: "int4",
            .text: "text", .json: "json", .float: "float4", .double: "float8",
            .int64Array: "int8[]", .int32Array: "int4[]", .textArray: "text[]",
            .timestamp: "timestamp", .timestampWithZone: "timestamptz", .uuid: "uuid",
            .uuidArray: "uuid[]", .jsonBinary: "jsonb",
        ]
        return names[self] ?? "type \(rawValue)"
    }
}
