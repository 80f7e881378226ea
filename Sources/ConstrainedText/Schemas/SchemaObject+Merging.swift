// Schemas that must hold together, as one schema.

import JSONText

extension SchemaObject {
    /// Adds the keywords of a schema that must hold too.
    /// - Throws: `ConstraintError` where the two cannot be one schema.
    mutating func merge(_ other: SchemaObject) throws(ConstraintError) {
        try refuseForeignProperties(other)
        try mergeProperties(other.properties)
        for (name, keyword) in other.keywords.sorted(by: { $0.key < $1.key }) {
            guard let own = self[name], own != keyword.value else {
                set(name, keyword.value, at: keyword.pointer)
                continue
            }
            guard let value = try Self.combined(name, own, keyword) else {
                throw ConstraintError(
                    at: keyword.pointer,
                    "it cannot be combined with another \(name) for the same value"
                )
            }
            set(name, value, at: keyword.pointer)
        }
    }

    /// `additionalProperties` is about the properties beside it, so two schemas with properties and
    /// one of these are not one schema with all of them.
    private func refuseForeignProperties(_ other: SchemaObject) throws(ConstraintError) {
        for (one, two) in [(self, other), (other, self)] {
            guard let closed = one["additionalProperties"], closed != .bool(true) else { continue }
            let known = Set(one.properties.map(\.key))
            guard two.properties.allSatisfy({ known.contains($0.key) }) else {
                throw one.error(
                    "additionalProperties",
                    "it forbids properties of a schema that must hold too: "
                        + "list all properties in one schema"
                )
            }
        }
    }

    private mutating func mergeProperties(_ others: [Part]) throws(ConstraintError) {
        var positions: [String: Int] = [:]
        for (position, part) in properties.enumerated() { positions[part.key] = position }
        for part in others {
            guard let position = positions[part.key] else {
                properties.append(part)
                continue
            }
            guard properties[position].value == part.value else {
                throw ConstraintError(
                    at: part.pointer,
                    "a schema that must hold too has another schema for this property"
                )
            }
        }
    }

    private static func combined(
        _ name: String,
        _ own: JSONValue,
        _ other: Keyword
    ) throws(ConstraintError) -> JSONValue? {
        switch name {
        case "required":
            guard let first = own.array, let second = other.value.array else { return nil }
            return .array(first + second.filter { !first.contains($0) })
        // Their parts are merged one by one.
        case "properties": return own
        case "type":
            let second = names(other.value)
            let common = names(own).filter { name in
                second.contains(name) || (name == "integer" && second.contains("number"))
            }
            let integers =
                names(own).contains("number") && second.contains("integer") ? ["integer"] : []
            let types = common + integers.filter { !common.contains($0) }
            guard !types.isEmpty else {
                throw ConstraintError(at: other.pointer, "no type is allowed by both schemas")
            }
            return .array(types.map(JSONValue.string))
        case "enum":
            guard let first = own.array, let second = other.value.array else { return nil }
            return .array(first.filter(second.contains))
        case "minimum", "exclusiveMinimum": return bound(own, other.value, isLarger: true)
        case "maximum", "exclusiveMaximum": return bound(own, other.value, isLarger: false)
        case "minLength", "minItems": return bound(own, other.value, isLarger: true)
        case "maxLength", "maxItems": return bound(own, other.value, isLarger: false)
        default: return nil
        }
    }

    private static func names(_ value: JSONValue) -> [String] {
        value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
    }

    private static func bound(_ one: JSONValue, _ two: JSONValue, isLarger: Bool) -> JSONValue? {
        guard let first = one.double, let second = two.double else { return nil }
        return (first < second) == isLarger ? two : one
    }
}
