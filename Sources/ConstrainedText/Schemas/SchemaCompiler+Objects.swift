// Objects: their members in the order of the schema, then additional ones.

import JSONText

extension SchemaCompiler {
    /// The node of an object.
    mutating func objectNode(_ schema: SchemaObject) throws(ConstraintError) -> NodeID {
        let required = Set(try schema.strings("required"))
        let declared = Set(schema.properties.map(\.key))
        let additional = try additionalMember(schema, besides: declared)
        var members: [(node: NodeID, isRequired: Bool)] = []
        for part in schema.properties {
            let key = try builder.literal(JSONWriting.quoted(part.key))
            let isRequired = required.contains(part.key)
            if case .bool(false) = part.value, !isRequired { continue }
            let value = try node(for: part.value, at: part.pointer)
            members.append((try member(key, value), isRequired))
        }
        for name in try schema.strings("required") where !declared.contains(name) {
            // Required, and with no schema but that of additional ones.
            guard let additional else {
                throw schema.error("required", "additionalProperties forbids \"\(name)\"")
            }
            let key = try builder.literal(JSONWriting.quoted(name))
            members.append((try member(key, additional.value), true))
        }
        guard let additional else { return try object(members, nil) }
        return try object(members, try member(additional.key, additional.value))
    }

    private mutating func member(
        _ key: NodeID,
        _ value: NodeID
    ) throws(ConstraintError) -> NodeID {
        try JSONNodes.member(key, json.space, value, &builder)
    }

    /// Builds the members from the last one: what may follow when none is written yet, and when one
    /// is, so that commas are right.
    private mutating func object(
        _ members: [(node: NodeID, isRequired: Bool)],
        _ additional: NodeID?
    ) throws(ConstraintError) -> NodeID {
        let comma = try builder.sequence([try builder.literal(","), json.gap])
        var first = try builder.empty()
        var rest = first
        if let additional {
            let next = try builder.sequence([comma, additional])
            rest = try builder.repetition(next, min: 0, max: nil)
            first = try builder.optional(try builder.sequence([additional, rest]))
        }
        for member in members.reversed() {
            let asFirst = try builder.sequence([member.node, rest])
            let asNext = try builder.sequence([comma, member.node, rest])
            first = member.isRequired ? asFirst : try builder.choice([asFirst, first])
            rest = member.isRequired ? asNext : try builder.choice([asNext, rest])
        }
        return try builder.sequence(
            [
                try builder.literal("{"), json.gap, first, json.gap, try builder.literal("}"),
            ],
            isContainer: true
        )
    }

    // MARK: - Additional properties

    /// A member that the schema does not name.
    private struct AdditionalMember {
        let key: NodeID
        let value: NodeID
    }

    private mutating func additionalMember(
        _ schema: SchemaObject,
        besides names: Set<String>
    ) throws(ConstraintError) -> AdditionalMember? {
        let value: NodeID
        switch schema["additionalProperties"] {
        case .bool(false): return nil
        case nil, .bool(true): value = json.anyValue
        case let part?:
            value = try node(for: part, at: schema.place(of: "additionalProperties"))
        }
        let taken = names.union(try schema.strings("required"))
        guard taken.allSatisfy({ $0.unicodeScalars.count <= ConstraintLimits.nameMax }) else {
            throw schema.error(
                "properties",
                "a name has more than \(ConstraintLimits.nameMax) characters, which is supported "
                    + "only with additionalProperties: false"
            )
        }
        let key = try taken.isEmpty ? json.anyString : otherString(than: taken)
        return AdditionalMember(key: key, value: value)
    }

    /// Any string but `names`.
    private mutating func otherString(
        than names: Set<String>
    ) throws(ConstraintError) -> NodeID {
        let texts = names.map { $0.unicodeScalars.map(\.value) }
            .sorted { $0.lexicographicallyPrecedes($1) }
        return try JSONNodes.string(try otherText(than: texts[...], at: 0), &builder)
    }

    /// The rest of a text that is none of `texts`, which agree up to `position` and are sorted.
    private mutating func otherText(
        than texts: ArraySlice<[UInt32]>,
        at position: Int
    ) throws(ConstraintError) -> NodeID {
        let any = try builder.repetition(json.characters, min: 0, max: nil)
        var texts = texts
        var options: [NodeID] = []
        if let shortest = texts.first, shortest.count == position {
            texts = texts.dropFirst()
        } else {
            options.append(try builder.empty())
        }
        var taken: [ClosedRange<UInt32>] = []
        while let scalar = texts.first?[position] {
            let same = texts.prefix { $0[position] == scalar }
            texts = texts.dropFirst(same.count)
            taken.append(scalar...scalar)
            let set = ScalarSet([scalar...scalar])
            guard !set.isEmpty else { continue }
            options.append(
                try builder.sequence([
                    try builder.scalar(set, isEscaped: true),
                    try otherText(than: same, at: position + 1),
                ])
            )
        }
        let others = try builder.scalar(ScalarSet(taken).complement, isEscaped: true)
        options.append(try builder.sequence([others, any]))
        return try builder.choice(options)
    }
}
