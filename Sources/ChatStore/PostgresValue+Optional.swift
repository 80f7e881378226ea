// Optional parameters, and typed columns.

import ChatProtocol
import FoundationEssentials
import Postgres

extension PostgresValue {
    static func uuid<Entity>(_ id: ID<Entity>) -> PostgresValue { .uuid(id.uuid) }

    static func optional<Entity>(_ id: ID<Entity>?) -> PostgresValue {
        id.map { .uuid($0.uuid) } ?? .null
    }

    static func optional(_ text: String?) -> PostgresValue { text.map { .text($0) } ?? .null }

    static func optional(_ number: Double?) -> PostgresValue { number.map { .double($0) } ?? .null }

    static func optional(_ number: Int?) -> PostgresValue {
        number.map { .int32(Int32(clamping: $0)) } ?? .null
    }

    static func optional(_ flag: Bool?) -> PostgresValue { flag.map { .bool($0) } ?? .null }

    static func optional(_ number: Int64?) -> PostgresValue { number.map { .int64($0) } ?? .null }

    /// A value as jsonb; null for nil.
    static func json(_ value: (some Encodable)?) -> PostgresValue {
        guard let value else { return .null }
        return .json(String(decoding: WireEncoding.text(value), as: UTF8.self))
    }
}

extension PostgresRow {
    /// Reads an identifier.
    func id<Entity>(_ column: StaticString, of: Entity.Type) throws -> ID<Entity> {
        ID(try decode(column, as: UUID.self))
    }

    /// Reads an identifier that may be null.
    func optionalID<Entity>(_ column: StaticString, of: Entity.Type) throws -> ID<Entity>? {
        try decode(column, as: UUID?.self).map { ID($0) }
    }

    /// Reads a time.
    func timestamp(_ column: StaticString) throws -> Timestamp {
        Timestamp(try decode(column, as: Date.self))
    }

    /// Reads a time that may be null.
    func optionalTimestamp(_ column: StaticString) throws -> Timestamp? {
        try decode(column, as: Date?.self).map { Timestamp($0) }
    }

    /// Reads a jsonb column that was selected as text; nil for null.
    func json<Value: Decodable>(_ column: StaticString, as type: Value.Type) throws -> Value? {
        guard let text = try decode(column, as: String?.self) else { return nil }
        return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    /// Reads an enum's raw value, which a check constraint of the column guarantees.
    func word<Word: RawRepresentable<String>>(_ column: StaticString, as type: Word.Type) throws
        -> Word
    {
        let text = try decode(column, as: String.self)
        guard let word = Word(rawValue: text) else {
            throw WireError(
                .internalError,
                "the database holds a value that this version does not know"
            )
        }
        return word
    }

    /// Reads an enum's raw value, or null.
    func optionalWord<Word: RawRepresentable<String>>(
        _ column: StaticString,
        as type: Word.Type
    ) throws -> Word? {
        try decode(column, as: String?.self) == nil ? nil : word(column, as: type)
    }
}
