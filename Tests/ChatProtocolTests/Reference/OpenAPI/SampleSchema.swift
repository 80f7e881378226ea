// The schema of replies, from samples: what the server's own encoders write for some values. For types
// that are only written, never read, so that no decoder can say what they have.

import ChatProtocol
import JSONText

/// What some samples of a JSON value have in common.
struct SampleSchema {
    private var types: Set<String> = []
    private var members: [(name: String, schema: SampleSchema, count: Int)] = []
    private var objectCount = 0
    /// What all elements of all arrays have in common; an array, so that the type can contain itself.
    private var elements: [SampleSchema] = []
    /// The values of a member that names the object's kind.
    private var constants: Set<String> = []

    /// Members whose values name the kind of their object, and never are anything else.
    private static let kinds: Set<String> = ["object", "type", "role", "owned_by"]

    /// - Parameter samples: values that the server's encoders write.
    /// - Throws: if one is not encoded as JSON.
    init(_ samples: [any Encodable]) throws {
        for sample in samples {
            add(try JSONText.JSONValue(parsing: WireEncoding.text(sample)), isKind: false)
        }
    }

    /// - Parameter texts: values as JSON.
    /// - Throws: if one is no JSON.
    init(texts: [[UInt8]]) throws {
        for text in texts { add(try JSONText.JSONValue(parsing: text), isKind: false) }
    }

    private init() {}

    private mutating func add(_ value: JSONText.JSONValue, isKind: Bool) {
        switch value {
        case .null: types.insert("null")
        case .bool: types.insert("boolean")
        case .integer: types.insert("integer")
        case .number: types.insert("number")
        case .string(let text):
            types.insert("string")
            if isKind { constants.insert(text) }
        case .array(let values):
            types.insert("array")
            var element = elements.popLast() ?? SampleSchema()
            for value in values { element.add(value, isKind: false) }
            elements = [element]
        case .object(let object):
            types.insert("object")
            objectCount += 1
            for (name, value) in object {
                let index = members.firstIndex { $0.name == name } ?? members.count
                if index == members.count { members.append((name, SampleSchema(), 0)) }
                members[index].schema.add(value, isKind: Self.kinds.contains(name))
                members[index].count += 1
            }
        }
    }

    /// The schema.
    var yaml: YAML {
        let names = types.contains("number") ? types.subtracting(["integer"]) : types
        guard !names.isEmpty else { return [:] }
        let sorted = names.sorted { ($0 == "null" ? "~" : $0) < ($1 == "null" ? "~" : $1) }
        var yaml: YAML = [
            "type": sorted.count == 1 ? .text(sorted[0]) : .list(sorted.map { .text($0) })
        ]
        if !constants.isEmpty {
            yaml = yaml.adding("enum", .list(constants.sorted().map { .text($0) }))
        }
        if let element = elements.first { yaml = yaml.adding("items", element.yaml) }
        guard !members.isEmpty else { return yaml }
        let required = members.filter { $0.count == objectCount }.map { YAML.text($0.name) }
        if !required.isEmpty { yaml = yaml.adding("required", .list(required)) }
        return yaml.adding(
            "properties",
            .map(members.map { YAML.Member(key: $0.name, value: $0.schema.yaml) })
        )
    }
}
