// Schemas by what they combine and by type.

import JSONText

extension SchemaCompiler {
    /// The node of a schema without `$ref` and `allOf`.
    mutating func node(for schema: SchemaObject) throws(ConstraintError) -> NodeID {
        if schema["anyOf"] != nil || schema["oneOf"] != nil { return try branches(of: schema) }
        if schema["enum"] != nil || schema["const"] != nil { return try values(of: schema) }
        guard let types = try schema.types() else { return json.anyValue }
        var options: [NodeID] = []
        for type in types { options.append(try node(for: schema, as: type)) }
        return try builder.choice(options)
    }

    private mutating func node(
        for schema: SchemaObject,
        as type: SchemaType
    ) throws(ConstraintError) -> NodeID {
        switch type {
        case .object: try objectNode(schema)
        case .array: try arrayNode(schema)
        case .string: try stringNode(schema)
        case .number: try numberNode(schema)
        case .integer: try integerNode(schema)
        case .boolean:
            try builder.choice([try builder.literal("true"), try builder.literal("false")])
        case .null: try builder.literal("null")
        }
    }

    // MARK: - Branches

    private mutating func branches(of schema: SchemaObject) throws(ConstraintError) -> NodeID {
        var base = schema
        let isOneOf = schema["anyOf"] == nil
        if !isOneOf, schema["oneOf"] != nil {
            throw schema.error("oneOf", "it cannot stand beside anyOf")
        }
        let name = isOneOf ? "oneOf" : "anyOf"
        let parts = try schema.elements(name) ?? []
        _ = base.remove(name)
        let isNullable = base.remove("nullable")?.value == .bool(true)
        var flat: [SchemaObject] = []
        for part in parts {
            var branch = try flattened(try SchemaObject(part.value, at: part.pointer))
            if !base.isEmpty { try branch.merge(base) }
            flat.append(branch)
        }
        if isOneOf { try requireDisjoint(flat, of: schema) }
        var options: [NodeID] = []
        for (part, branch) in zip(parts, flat) {
            options.append(
                base.isEmpty
                    ? try node(for: part.value, at: part.pointer)
                    : try nested(at: part.pointer) { compiler throws(ConstraintError) in
                        try compiler.node(for: branch)
                    }
            )
        }
        if isNullable { options.append(try builder.literal("null")) }
        return try builder.choice(options)
    }

    /// A text that two schemas of `oneOf` allow is not valid.
    private func requireDisjoint(
        _ branches: [SchemaObject],
        of schema: SchemaObject
    ) throws(ConstraintError) {
        guard branches.count <= ConstraintLimits.oneOfMax else {
            throw schema.error(
                "oneOf",
                "it has more than \(ConstraintLimits.oneOfMax) schemas: use anyOf"
            )
        }
        for (index, branch) in branches.enumerated() {
            for (earlier, other) in branches[..<index].enumerated()
            where !(try branch.isDisjoint(from: other)) {
                throw schema.error(
                    "oneOf",
                    "its schemas \(earlier) and \(index) may allow the same value: "
                        + "use anyOf, or give each a property with a const of its own"
                )
            }
        }
    }

    // MARK: - Values

    private mutating func values(of schema: SchemaObject) throws(ConstraintError) -> NodeID {
        for name in schema.keywords.keys.sorted()
        where !["enum", "const", "type", "nullable"].contains(name) {
            throw schema.error(name, "it is not supported beside enum or const")
        }
        guard let values = try schema.values() else { return json.anyValue }
        guard values.count <= ConstraintLimits.enumerationMax else {
            throw schema.error(
                "enum",
                "it has more than \(ConstraintLimits.enumerationMax) values"
            )
        }
        guard !values.isEmpty else {
            throw schema.error(
                schema["enum"] == nil ? "const" : "enum",
                "no value is allowed by the other keywords"
            )
        }
        var options: [NodeID] = []
        for value in values { options.append(try builder.literal(JSONWriting.text(of: value))) }
        return try builder.choice(options)
    }
}
