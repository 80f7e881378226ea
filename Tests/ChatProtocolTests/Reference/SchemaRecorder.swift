// The fields of a protocol type on the wire, found by decoding the type with a decoder that records
// the requested keys.

import ChatProtocol

/// The form of a value on the wire; an object is identified by its type's name.
indirect enum WireSchema: Hashable {
    case boolean, integer, number, string, uuid, time
    case words([String])
    case array(WireSchema)
    case map(WireSchema)
    /// A named object; the recorder has its fields.
    case object(String)
}

/// One field of an object.
struct WireField: Hashable {
    let name: String
    let schema: WireSchema
    let isRequired: Bool
}

/// Records the fields of objects by type name.
final class SchemaRecorder {
    private(set) var objects: [String: [WireField]] = [:]

    /// The fields that a type reads.
    func fields(of type: any Decodable.Type) throws -> [WireField] {
        let fields = FieldList()
        _ = try type.init(from: RecordingDecoder(recorder: self, fields: fields))
        return fields.all
    }

    /// The fields of an event, except its name.
    func fields(of event: ServerEvent.Name) throws -> [WireField] {
        let fields = FieldList()
        _ = try ServerEvent(
            from: RecordingDecoder(recorder: self, fields: fields, event: event.rawValue)
        )
        return fields.all.filter { $0.name != "ev" }
    }

    /// The form of a type; an object's fields are recorded.
    func schema(of type: any Decodable.Type) throws -> WireSchema {
        switch type {
        case is Bool.Type: return .boolean
        case is Int.Type, is Int64.Type: return .integer
        case is Double.Type: return .number
        case is String.Type: return .string
        case is any Identifier.Type: return .uuid
        case is Timestamp.Type: return .time
        case is ServerEvent.Type: return .object("Event")
        case let list as any List.Type: return .array(try schema(of: list.element))
        case let map as any Map.Type: return .map(try schema(of: map.value))
        default: break
        }
        if let words = words(of: type) { return .words(words) }
        let name = "\(type)"
        if objects[name] == nil {
            objects[name] = []
            objects[name] = try fields(of: type)
        }
        return .object(name)
    }
}

// MARK: Kinds of types

private protocol Identifier {}
extension ID: Identifier {}

private protocol List { static var element: any Decodable.Type { get } }
extension Array: List where Element: Decodable {
    static var element: any Decodable.Type { Element.self }
}

private protocol Map { static var value: any Decodable.Type { get } }
extension Dictionary: Map where Value: Decodable {
    static var value: any Decodable.Type { Value.self }
}

/// The raw values of an enum; nil for other types.
private func words(of type: any Decodable.Type) -> [String]? {
    (type as? any CaseIterable.Type).flatMap { texts(of: $0) }
}

private func texts<Words: CaseIterable>(of type: Words.Type) -> [String]? {
    let texts = type.allCases.compactMap { word in
        (word as? any RawRepresentable)?.rawValue as? String
    }
    return texts.isEmpty ? nil : texts
}

// MARK: The decoder

private final class FieldList {
    var all: [WireField] = []

    func note(_ name: String, _ schema: WireSchema, isRequired: Bool) {
        guard !all.contains(where: { $0.name == name }) else { return }
        all.append(WireField(name: name, schema: schema, isRequired: isRequired))
    }
}

private struct RecordingDecoder: Decoder {
    let recorder: SchemaRecorder
    let fields: FieldList
    /// The value of a field `ev`.
    var event = ""
    /// The value of a single string.
    var text = ""

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RecordingFields<Key>(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { NoElements() }

    func singleValueContainer() -> any SingleValueDecodingContainer { OneText(text: text) }

    /// Any value of a type.
    func value<Value: Decodable>(of type: Value.Type) throws -> Value {
        let plain: [Any] = [false, 0, Int64(0), 0.0, ""]
        if let value = plain.lazy.compactMap({ $0 as? Value }).first { return value }
        var nested = RecordingDecoder(recorder: recorder, fields: FieldList())
        if let words = words(of: type) { nested.text = words[0] }
        if type is any Identifier.Type { nested.text = "01890a5d-ac96-774b-bcce-b302099a8057" }
        if type == Timestamp.self { nested.text = "2026-11-21T09:30:00.125Z" }
        // For an event in a field, any event will do.
        nested.event = ServerEvent.Name.lagged.rawValue
        return try type.init(from: nested)
    }
}

private struct RecordingFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RecordingDecoder

    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }
    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }

    private func note(_ key: Key, _ type: any Decodable.Type, isRequired: Bool) throws {
        decoder.fields.note(
            key.stringValue,
            try decoder.recorder.schema(of: type),
            isRequired: isRequired
        )
    }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if type == ServerEvent.Name.self, let name = ServerEvent.Name(rawValue: decoder.event) {
            if let name = name as? Value { return name }
        }
        try note(key, type, isRequired: true)
        return try decoder.value(of: type)
    }

    // The standard library has its own overloads for these types, which are preferred to the
    // generic one below.

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try note(key, type, isRequired: false)
        return nil
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try note(key, type, isRequired: false)
        return nil
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try note(key, type, isRequired: false)
        return nil
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try note(key, type, isRequired: false)
        return nil
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try note(key, type, isRequired: false)
        return nil
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try note(key, type, isRequired: false)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        decoder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        NoElements()
    }

    func superDecoder() throws -> any Decoder { decoder }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
}

private struct NoElements: UnkeyedDecodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int? { 0 }
    var isAtEnd: Bool { true }
    var currentIndex: Int { 0 }

    private var nothing: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "has no elements"))
    }

    func decodeNil() throws -> Bool { throw nothing }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { throw nothing }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> { throw nothing }
    func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { throw nothing }
    func superDecoder() throws -> any Decoder { throw nothing }
}

private struct OneText: SingleValueDecodingContainer {
    let text: String

    var codingPath: [any CodingKey] { [] }
    func decodeNil() -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let value = text as? Value else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "is no \(type)")
            )
        }
        return value
    }
}
