// Values of JSON, for the arguments of calls.

import Foundation

/// A value of JSON.
public enum JSONValue: Hashable, Codable, Sendable {
    case null
    case bool(Bool)
    case int(Int)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Reads the value of any JSON.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .int(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let values = try? container.decode([JSONValue].self) {
            self = .array(values)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Writes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .int(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }

    /// The value of a number, text, array or dictionary; the description of anything else, as a text.
    public static func from(_ value: Any) -> JSONValue {
        switch value {
        case let value as JSONValue: value
        case is NSNull: .null
        case let value as Bool: .bool(value)
        case let value as Int: .int(value)
        case let value as Double: .double(value)
        case let value as Float: .double(Double(value))
        case let value as String: .string(value)
        case let values as [Any]: .array(values.map(from))
        case let values as [String: Any]: .object(values.mapValues(from))
        default: .string(String(describing: value))
        }
    }

    /// The value as Foundation's JSON types.
    public var anyValue: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): value
        case .int(let value): value
        case .double(let value): value
        case .string(let value): value
        case .array(let values): values.map(\.anyValue)
        case .object(let values): values.mapValues(\.anyValue)
        }
    }

    /// The value as text, with the white space of Python's `json.dumps`, in which models have seen most
    /// definitions. The members of an object are sorted, those in `first` before the others.
    func text(first: [String] = []) -> String {
        switch self {
        case .null: return "null"
        case .bool(let value): return "\(value)"
        case .int(let value): return "\(value)"
        case .double(let value): return value.isFinite ? "\(value)" : "null"
        case .string(let value): return Self.quoted(value)
        case .array(let values):
            return "[\(values.map { $0.text(first: first) }.joined(separator: ", "))]"
        case .object(let members):
            let names = first.filter { members[$0] != nil }
            let rest = members.keys.filter { !names.contains($0) }.sorted()
            let texts = (names + rest).map { name in
                "\(Self.quoted(name)): \((members[name] ?? .null).text())"
            }
            return "{\(texts.joined(separator: ", "))}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}
