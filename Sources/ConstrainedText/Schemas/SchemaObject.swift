// A schema as its keywords, each with the place where it stands: `allOf` and `$ref` bring together
// keywords of several places.

import JSONText

/// The keywords of a schema.
struct SchemaObject {
    /// A keyword's value and where it stands.
    struct Keyword {
        var value: JSONValue
        var pointer: String
    }

    /// A schema inside of another one, with its place.
    struct Part {
        /// The name of a property; empty for an element.
        var key: String
        var value: JSONValue
        var pointer: String
    }

    /// The place of the schema.
    let pointer: String
    private(set) var keywords: [String: Keyword] = [:]
    /// The schemas of `properties`, in order.
    var properties: [Part] = []

    /// The keywords that restrict.
    /// - Throws: `ConstraintError` for a keyword that is not held.
    init(_ value: JSONValue, at pointer: String) throws(ConstraintError) {
        self.pointer = pointer
        if case .bool(true) = value { return }
        if case .bool(false) = value {
            throw ConstraintError(at: pointer, "nothing is valid against false")
        }
        guard let object = value.object else {
            throw ConstraintError(
                at: pointer,
                "a schema must be an object, and is \(value.kindName)"
            )
        }
        for (name, value) in object where !SchemaKeywords.isAnnotation(name) {
            let place = Self.pointer(pointer, name)
            guard SchemaKeywords.isKnown(name) else {
                throw ConstraintError(at: place, "the keyword is not supported: leave it out")
            }
            keywords[name] = Keyword(value: value, pointer: place)
        }
        guard let value = self["properties"] else { return }
        guard let members = value.object else { throw error("properties", "it must be an object") }
        let place = place(of: "properties")
        properties = members.map { Part($0.key, $0.value, Self.pointer(place, $0.key)) }
    }

    /// A pointer to a member or an element.
    static func pointer(_ pointer: String, _ token: String) -> String {
        guard token.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") })
        else { return "\(pointer)/\(token)" }
        var escaped = ""
        for scalar in token.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return "\(pointer)/\(escaped)"
    }

    var isEmpty: Bool { keywords.isEmpty }

    /// A keyword's value.
    subscript(name: String) -> JSONValue? { keywords[name]?.value }

    /// Where a keyword stands.
    func place(of name: String) -> String {
        keywords[name]?.pointer ?? Self.pointer(pointer, name)
    }

    /// Takes a keyword out.
    mutating func remove(_ name: String) -> Keyword? { keywords.removeValue(forKey: name) }

    /// Sets a keyword.
    mutating func set(_ name: String, _ value: JSONValue, at pointer: String) {
        keywords[name] = Keyword(value: value, pointer: pointer)
    }

    /// An error about a keyword.
    func error(_ name: String, _ reason: String) -> ConstraintError {
        ConstraintError(at: place(of: name), reason)
    }

    /// A count of zero or more.
    func count(_ name: String) throws(ConstraintError) -> Int? {
        guard let value = self[name] else { return nil }
        guard let count = value.integer, count >= 0 else {
            throw error(name, "it must be an integer of at least 0")
        }
        return count
    }

    /// A string.
    func string(_ name: String) throws(ConstraintError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else {
            throw error(name, "it must be a string, and is \(value.kindName)")
        }
        return text
    }

    /// An array of strings.
    func strings(_ name: String) throws(ConstraintError) -> [String] {
        guard let value = self[name] else { return [] }
        guard let values = value.array, values.allSatisfy({ $0.string != nil }) else {
            throw error(name, "it must be an array of strings")
        }
        return values.compactMap(\.string)
    }

    /// The elements of an array of schemas, with their places; nil if the keyword is absent.
    func elements(
        _ name: String
    ) throws(ConstraintError) -> [Part]? {
        guard let value = self[name] else { return nil }
        guard let elements = value.array, !elements.isEmpty else {
            throw error(name, "it must be an array with at least one schema")
        }
        let place = place(of: name)
        return elements.enumerated().map {
            Part("", $0.element, Self.pointer(place, "\($0.offset)"))
        }
    }
}

extension SchemaObject.Part {
    init(_ key: String, _ value: JSONValue, _ pointer: String) {
        self.init(key: key, value: value, pointer: pointer)
    }
}

extension SchemaObject {
    /// The types that its keywords allow; nil for all.
    func types() throws(ConstraintError) -> [SchemaType]? {
        var types: [SchemaType]?
        if let value = self["type"] {
            let names = value.string.map { [$0] } ?? value.array?.map { $0.string ?? "" } ?? [""]
            var listed: [SchemaType] = []
            for name in names {
                guard let type = SchemaType(rawValue: name) else {
                    throw error("type", "it must be a type's name, or an array of them")
                }
                if !listed.contains(type) { listed.append(type) }
            }
            guard !listed.isEmpty else { throw error("type", "it names no type") }
            if listed.contains(.number) { listed.removeAll { $0 == .integer } }
            types = listed
        } else {
            let implied = Set(keywords.keys.compactMap { SchemaKeywords.typeOf[$0] })
            if !implied.isEmpty { types = SchemaType.allCases.filter(implied.contains) }
        }
        if case .bool(true)? = self["nullable"], let listed = types, !listed.contains(.null) {
            types = listed + [.null]
        }
        return types
    }
}
