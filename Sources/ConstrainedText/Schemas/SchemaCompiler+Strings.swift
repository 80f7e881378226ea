// Strings: lengths, `pattern` and `format`.

import JSONText

extension SchemaCompiler {
    /// The node of a string.
    mutating func stringNode(_ schema: SchemaObject) throws(ConstraintError) -> NodeID {
        let min = try schema.count("minLength") ?? 0
        let max = try schema.count("maxLength")
        if let max, max < min { throw schema.error("maxLength", "it is less than minLength") }
        guard let (content, name) = try content(of: schema) else {
            let characters = try builder.repetition(json.characters, min: min, max: max)
            return try JSONNodes.string(characters, &builder)
        }
        let bounded = try builder.bounding(content, min: min, max: max)
        guard let bounded else {
            throw schema.error(
                name,
                "together with minLength or maxLength it is not supported: "
                    + "write the length into the pattern"
            )
        }
        return try JSONNodes.string(bounded, &builder)
    }

    /// The characters that `pattern` or `format` allow, and which of the two it was; nil if there
    /// is neither.
    private mutating func content(
        of schema: SchemaObject
    ) throws(ConstraintError) -> (NodeID, name: String)? {
        let format = try schema.string("format")
        if let pattern = try schema.string("pattern") {
            guard format.map(StringFormat.isDescription) ?? true else {
                throw schema.error("format", "it is not supported beside pattern")
            }
            let node = try attributing(to: schema.place(of: "pattern"), pattern, isSearched: true)
            return (node, "pattern")
        }
        guard let format, !StringFormat.isDescription(format) else { return nil }
        guard let pattern = StringFormat.pattern(format) else {
            throw schema.error(
                "format",
                "\"\(format)\" is not supported, but \(StringFormat.names.joined(separator: ", "))"
            )
        }
        let node = try attributing(to: schema.place(of: "format"), pattern, isSearched: false)
        return (node, "format")
    }

    private mutating func attributing(
        to pointer: String,
        _ pattern: String,
        isSearched: Bool
    ) throws(ConstraintError) -> NodeID {
        do throws(ConstraintError) {
            return try PatternParser.compile(
                pattern,
                isEscaped: true,
                isSearched: isSearched,
                with: &builder
            )
        } catch {
            throw ConstraintError(at: pointer, error.reason)
        }
    }
}
