// The form of calls: an array of objects with a function's name and its arguments, as a JSON Schema.

import ChatProtocol
public import ConstrainedText
import JSONText

extension ToolUse {
    /// Whether the arguments of some function must be valid against its schema.
    public var hasStrictFunctions: Bool { functions.contains { $0.isStrict == true } }

    /// The form of the answers' calls; nil if the model is told of no functions. Arguments of functions
    /// that are not strict are any objects.
    public var constraint: AnswerConstraint? {
        let callable = functions.filter { function in
            switch choice {
            case .none: false
            case .automatic, .required: true
            case .function(let name): function.name == name
            }
        }
        guard !callable.isEmpty else { return nil }
        let calls = callable.enumerated().map { index, function in
            """
            {"type":"object","properties":{"name":{"const":\(Self.quoted(function.name))},\
            "arguments":{"$ref":"#/$defs/f\(index)"}},"required":["name","arguments"],\
            "additionalProperties":false}
            """
        }
        let definitions = callable.enumerated().map { index, function in
            "\"f\(index)\":\(function.argumentsSchema(under: "#/$defs/f\(index)"))"
        }
        let schema = """
            {"type":"array","minItems":1,\(isParallel ? "" : "\"maxItems\":1,")\
            "items":{"anyOf":[\(calls.joined(separator: ","))]},\
            "$defs":{\(definitions.joined(separator: ","))}}
            """
        return .calls(opening: ToolText.callsOpening, schema: schema)
    }
}

extension ToolUse.Function {
    /// The schema of the arguments, for a place in another schema.
    fileprivate func argumentsSchema(under place: String) -> String {
        let anyObject = #"{"type":"object"}"#
        guard isStrict == true else { return anyObject }
        guard let parameters else {
            return #"{"type":"object","properties":{},"additionalProperties":false}"#
        }
        guard let value = try? JSONValue(parsing: Array(parameters.utf8)) else { return anyObject }
        return MovedSchema(place: place).text(of: value)
    }
}

/// A JSON Schema as a part of another one: its references are to itself there.
private struct MovedSchema {
    /// Keywords whose members have names, and are schemas.
    private static let named = [
        "properties", "patternProperties", "$defs", "definitions", "dependentSchemas",
    ]
    /// Keywords whose values are no schemas.
    private static let values = ["const", "enum", "default", "examples"]

    /// Where it is, as a reference.
    let place: String

    func text(of schema: JSONValue) -> String {
        switch schema {
        case .object(let members):
            let texts = members.map { key, value in
                "\(ToolUse.quoted(key)):\(text(of: value, at: key))"
            }
            return "{\(texts.joined(separator: ","))}"
        case .array(let schemas):
            return "[\(schemas.map(text(of:)).joined(separator: ","))]"
        default: return Self.plain(schema)
        }
    }

    private func text(of value: JSONValue, at key: String) -> String {
        if key == "$ref", let reference = value.string, reference.hasPrefix("#") {
            return ToolUse.quoted(place + reference.dropFirst())
        }
        if Self.values.contains(key) { return Self.plain(value) }
        guard Self.named.contains(key), case .object(let schemas) = value else {
            return text(of: value)
        }
        let texts = schemas.map { name, schema in
            "\(ToolUse.quoted(name)):\(text(of: schema))"
        }
        return "{\(texts.joined(separator: ","))}"
    }

    private static func plain(_ value: JSONValue) -> String {
        String(decoding: WireEncoding.text(value), as: UTF8.self)
    }
}
