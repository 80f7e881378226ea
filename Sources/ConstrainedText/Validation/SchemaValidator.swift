// Validates JSON values against a schema: for answers of engines on other machines, which hold a
// schema in their own way. Knows the keywords that are held here; `format` describes only.

public import JSONText

/// Validates values against one JSON Schema. Independent of the grammar that the schema compiles
/// to, except for `pattern`.
public struct SchemaValidator: Sendable {
    private let document: JSONValue
    private let patterns: [String: CompiledConstraint]

    /// Reads a schema that `CompiledConstraint` accepts.
    /// - Throws: `ConstraintError` if it is not JSON.
    public init(_ schema: String) throws(ConstraintError) {
        do throws(JSONError) {
            document = try JSONValue(parsing: Array(schema.utf8))
        } catch {
            throw ConstraintError("the schema is not JSON: \(error)")
        }
        var patterns: [String: CompiledConstraint] = [:]
        Self.compilePatterns(in: document, &patterns)
        self.patterns = patterns
    }

    /// Compiles what may be patterns: a member of that name may also be part of a value, or a
    /// property's name.
    private static func compilePatterns(
        in value: JSONValue,
        _ patterns: inout [String: CompiledConstraint]
    ) {
        for element in value.array ?? [] { compilePatterns(in: element, &patterns) }
        for (key, member) in value.object ?? JSONObject() {
            if key == "pattern", let pattern = member.string, patterns[pattern] == nil {
                patterns[pattern] = try? CompiledConstraint(searching: pattern)
            }
            compilePatterns(in: member, &patterns)
        }
    }

    /// Whether `value` is valid. False also where that takes too much work.
    public func isValid(_ value: JSONValue) -> Bool {
        var validation = Validation(document: document, patterns: patterns)
        return validation.isValid(value, document, depth: 0)
    }
}

/// One validation.
private struct Validation {
    let document: JSONValue
    let patterns: [String: CompiledConstraint]
    /// The number of schemas that may still be looked at.
    var workLeft = 1_000_000

    mutating func isValid(_ value: JSONValue, _ schema: JSONValue, depth: Int) -> Bool {
        // A schema may refer to itself without a value in between.
        workLeft -= 1
        guard workLeft > 0, depth < 4 * ConstraintLimits.schemaDepthMax else { return false }
        if let truth = schema.bool { return truth }
        guard let keywords = schema.object else { return false }
        if value.isNull, keywords["nullable"] == .bool(true) { return true }
        return keywords.allSatisfy { name, keyword in
            isValid(value, name, keyword, beside: keywords, depth: depth + 1)
        }
    }

    private mutating func isValid(
        _ value: JSONValue,
        _ name: String,
        _ keyword: JSONValue,
        beside keywords: JSONObject,
        depth: Int
    ) -> Bool {
        switch name {
        case "type":
            let names = keyword.string.map { [$0] } ?? keyword.array?.compactMap(\.string) ?? []
            return names.contains { SchemaType(rawValue: $0).map(value.isOf) ?? false }
        case "enum":
            return keyword.array?.contains { $0.canonicalText == value.canonicalText } ?? false
        case "const": return keyword.canonicalText == value.canonicalText
        case "anyOf":
            return keyword.array?.contains { isValid(value, $0, depth: depth) } ?? false
        case "oneOf":
            return keyword.array?.count { isValid(value, $0, depth: depth) } == 1
        case "allOf":
            return keyword.array?.allSatisfy { isValid(value, $0, depth: depth) } ?? false
        case "$ref":
            return keyword.string.flatMap { SchemaReference.target(of: $0, in: document) }
                .map { isValid(value, $0, depth: depth) } ?? false
        default:
            if let object = value.object {
                return isValid(object, name, keyword, beside: keywords, depth: depth)
            }
            if let array = value.array {
                return isValid(array, name, keyword, beside: keywords, depth: depth)
            }
            if let text = value.string { return isValid(text, name, keyword) }
            return value.double.map { isValid($0, name, keyword) } ?? true
        }
    }

    private mutating func isValid(
        _ object: JSONObject,
        _ name: String,
        _ keyword: JSONValue,
        beside keywords: JSONObject,
        depth: Int
    ) -> Bool {
        let properties = keywords["properties"]?.object ?? JSONObject()
        switch name {
        case "properties":
            return properties.allSatisfy { key, schema in
                object[key].map { isValid($0, schema, depth: depth) } ?? true
            }
        case "required":
            return keyword.array?.allSatisfy { $0.string.map { object[$0] != nil } ?? false }
                ?? false
        case "additionalProperties":
            return object.allSatisfy { key, value in
                properties[key] != nil || isValid(value, keyword, depth: depth)
            }
        default: return true
        }
    }

    private mutating func isValid(
        _ array: [JSONValue],
        _ name: String,
        _ keyword: JSONValue,
        beside keywords: JSONObject,
        depth: Int
    ) -> Bool {
        let prefix = keywords["prefixItems"]?.array ?? []
        switch name {
        case "prefixItems": return zip(array, prefix).allSatisfy { isValid($0, $1, depth: depth) }
        case "items":
            return array.dropFirst(prefix.count).allSatisfy { isValid($0, keyword, depth: depth) }
        case "minItems": return keyword.integer.map { array.count >= $0 } ?? false
        case "maxItems": return keyword.integer.map { array.count <= $0 } ?? false
        default: return true
        }
    }

    private func isValid(_ text: String, _ name: String, _ keyword: JSONValue) -> Bool {
        switch name {
        case "minLength": keyword.integer.map { text.unicodeScalars.count >= $0 } ?? false
        case "maxLength": keyword.integer.map { text.unicodeScalars.count <= $0 } ?? false
        case "pattern":
            keyword.string.flatMap { patterns[$0] }
                .map { TextMatcher($0).matches(text.utf8) } ?? false
        default: true
        }
    }

    private func isValid(_ number: Double, _ name: String, _ keyword: JSONValue) -> Bool {
        guard let bound = keyword.double else { return true }
        return switch name {
        case "minimum": number >= bound
        case "maximum": number <= bound
        case "exclusiveMinimum": number > bound
        case "exclusiveMaximum": number < bound
        case "multipleOf": (number / bound).rounded() == number / bound
        default: true
        }
    }
}
