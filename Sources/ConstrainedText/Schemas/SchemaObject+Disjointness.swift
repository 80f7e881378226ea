// Whether two schemas have no value in common, as far as that can be seen: for `oneOf`.

import JSONText

extension SchemaObject {
    /// The values of `const` or `enum` that the types allow; nil if there is neither.
    func values() throws(ConstraintError) -> [JSONValue]? {
        var values: [JSONValue]?
        if let value = self["enum"] {
            guard let list = value.array else { throw error("enum", "it must be an array") }
            values = list
        }
        if let constant = self["const"] {
            let text = constant.canonicalText
            values = values?.filter { $0.canonicalText == text } ?? [constant]
        }
        guard let types = try types() else { return values }
        return values?.filter { value in types.contains { value.isOf($0) } }
    }

    /// Whether no value is valid against both. False where that is not known.
    func isDisjoint(from other: SchemaObject) throws(ConstraintError) -> Bool {
        let own = try possibleTypes()
        let others = try other.possibleTypes()
        guard own.contains(where: { one in others.contains { one.overlaps($0) } }) else {
            return true
        }
        if let values = try values(), let otherValues = try other.values() {
            return Self.areDisjoint(values, otherValues)
        }
        guard own == [.object], others == [.object] else { return false }
        if try isToldApart(from: other) { return true }
        return try other.isToldApart(from: self)
    }

    /// All types that a value may have; not only those that are written.
    private func possibleTypes() throws(ConstraintError) -> [SchemaType] {
        if let values = try values() {
            return SchemaType.allCases.filter { type in values.contains { $0.isOf(type) } }
        }
        // Without `type` the other types are valid, though none of their values is written.
        return self["type"] == nil ? SchemaType.allCases : try types() ?? SchemaType.allCases
    }

    /// Whether a required property excludes values of the other schema.
    private func isToldApart(from other: SchemaObject) throws(ConstraintError) -> Bool {
        let required = try strings("required")
        let otherRequired = try other.strings("required")
        for name in required {
            guard let property = other.properties.first(where: { $0.key == name }) else {
                if other["additionalProperties"] == .bool(false) { return true }
                continue
            }
            guard otherRequired.contains(name),
                let own = properties.first(where: { $0.key == name })
            else { continue }
            let one = try SchemaObject(own.value, at: own.pointer)
            let two = try SchemaObject(property.value, at: property.pointer)
            guard let values = try one.values(), let others = try two.values() else { continue }
            if Self.areDisjoint(values, others) { return true }
        }
        return false
    }

    private static func areDisjoint(_ one: [JSONValue], _ two: [JSONValue]) -> Bool {
        Set(one.map(\.canonicalText)).isDisjoint(with: two.map(\.canonicalText))
    }
}

extension SchemaType {
    /// Whether a value can have both types.
    fileprivate func overlaps(_ other: SchemaType) -> Bool {
        let numbers: Set<SchemaType> = [.integer, .number]
        return self == other || (numbers.contains(self) && numbers.contains(other))
    }
}

extension JSONValue {
    /// Whether it has the type.
    func isOf(_ type: SchemaType) -> Bool {
        switch type {
        case .object: object != nil
        case .array: array != nil
        case .string: string != nil
        case .number: double != nil
        case .integer: double.map { $0.rounded() == $0 } ?? false
        case .boolean: bool != nil
        case .null: isNull
        }
    }

    /// A text that equal values have in common: numbers by value, objects without the order of
    /// their members.
    var canonicalText: [UInt8] {
        switch self {
        case .number(let value):
            return JSONWriting.text(of: Int(exactly: value).map(JSONValue.integer) ?? self)
        case .array(let values):
            return [UInt8(ascii: "[")] + values.flatMap { $0.canonicalText + [UInt8(ascii: ",")] }
        case .object(let members):
            let texts = members.map { JSONWriting.quoted($0.key) + $0.value.canonicalText }
            return [UInt8(ascii: "{")]
                + texts.sorted { $0.lexicographicallyPrecedes($1) }.joined(separator: [0])
        default: return JSONWriting.text(of: self)
        }
    }
}
