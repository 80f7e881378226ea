// The keywords of JSON Schema that are held, and those that describe without restricting.

/// The keywords of JSON Schema, draft 2020-12, and of OpenAPI's schemas.
enum SchemaKeywords {
    /// What types of values a keyword is about; such a keyword implies the type where a schema has
    /// no `type`: what is written then is valid, though other values would be too.
    static let typeOf: [String: SchemaType] = [
        "properties": .object, "required": .object, "additionalProperties": .object,
        "items": .array, "prefixItems": .array, "minItems": .array, "maxItems": .array,
        "minLength": .string, "maxLength": .string, "pattern": .string, "format": .string,
        "minimum": .number, "maximum": .number, "exclusiveMinimum": .number,
        "exclusiveMaximum": .number, "multipleOf": .number,
    ]

    /// Keywords about any type that are held.
    static let general: Set<String> = [
        "type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "nullable",
    ]

    /// Keywords that restrict nothing.
    static let annotations: Set<String> = [
        "title", "description", "default", "examples", "example", "deprecated", "readOnly",
        "writeOnly", "$schema", "$id", "$comment", "$defs", "definitions", "discriminator",
        "contentMediaType", "contentEncoding", "contentSchema", "xml", "externalDocs",
        "propertyOrdering",
    ]

    /// Whether a keyword restricts nothing.
    static func isAnnotation(_ keyword: String) -> Bool {
        annotations.contains(keyword) || keyword.hasPrefix("x-")
    }

    /// Whether a keyword is understood.
    static func isKnown(_ keyword: String) -> Bool {
        general.contains(keyword) || typeOf[keyword] != nil || isAnnotation(keyword)
    }
}

/// The types of JSON Schema.
enum SchemaType: String, CaseIterable, Sendable {
    case object, array, string, number, integer, boolean, null
}
