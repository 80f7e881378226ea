// Arrays: the elements of `prefixItems`, then those of `items`.

import JSONText

extension SchemaCompiler {
    /// The node of an array.
    mutating func arrayNode(_ schema: SchemaObject) throws(ConstraintError) -> NodeID {
        let min = try schema.count("minItems") ?? 0
        let max = try schema.count("maxItems")
        if let max, max < min { throw schema.error("maxItems", "it is less than minItems") }
        if schema["items"]?.array != nil {
            throw schema.error("items", "an array of schemas is not supported: use prefixItems")
        }
        var prefix: [NodeID] = []
        for part in try schema.elements("prefixItems") ?? [] {
            if let max, prefix.count == max { break }
            prefix.append(try node(for: part.value, at: part.pointer))
        }
        let element = try element(schema)
        if element == nil, min > prefix.count {
            throw schema.error("minItems", "items forbids that many elements")
        }
        let content = try elements(prefix, element, min: min, max: max)
        return try builder.sequence(
            [try builder.literal("["), json.gap, content, try builder.literal("]")],
            isContainer: true
        )
    }

    private mutating func element(_ schema: SchemaObject) throws(ConstraintError) -> NodeID? {
        switch schema["items"] {
        case .bool(false): nil
        case nil: json.anyValue
        case let part?: try node(for: part, at: schema.place(of: "items"))
        }
    }

    /// From `min` to `max` elements with commas, and the gap after the last one.
    private mutating func elements(
        _ prefix: [NodeID],
        _ element: NodeID?,
        min: Int,
        max: Int?
    ) throws(ConstraintError) -> NodeID {
        if max == 0 { return try builder.empty() }
        let comma = try builder.sequence([try builder.literal(","), json.gap])
        // What may follow after the prefix: the repetition of further elements.
        var rest = try builder.empty()
        if let element {
            let minAfter = Swift.max(0, min - Swift.max(1, prefix.count))
            let maxAfter = max.map { $0 - Swift.max(1, prefix.count) }
            rest = try builder.repetition(
                try builder.sequence([comma, element]),
                min: minAfter,
                max: maxAfter
            )
        }
        let parts = prefix.isEmpty ? [element].compactMap(\.self) : prefix
        guard let first = parts.first else { return try builder.empty() }
        for (index, part) in parts.enumerated().dropFirst().reversed() {
            let next = try builder.sequence([comma, part, rest])
            rest = index < min ? next : try builder.optional(next)
        }
        let content = try builder.sequence([first, rest, json.gap])
        return min > 0 ? content : try builder.optional(content)
    }
}
