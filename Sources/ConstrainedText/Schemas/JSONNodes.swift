// The nodes of any JSON value, and of what stands between the parts of one.

/// Nodes that all schemas share.
struct JSONNodes {
    typealias NodeID = Grammar.NodeID

    /// Maximum number of spaces at the start of a line.
    private static let indentMax = 32
    /// A number without bounds: finite for every reader, and of bounded length.
    static let number = #"-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?([eE][+-]?[0-9]{1,2})?"#

    /// Nothing, a space, or a line break with an indent: after brackets and commas.
    let gap: NodeID
    /// Nothing or a space: after colons.
    let space: NodeID
    /// The characters of a string.
    let characters: NodeID
    /// Any string.
    let anyString: NodeID
    /// Any value.
    let anyValue: NodeID
    /// Any object.
    let anyObject: NodeID

    init(_ builder: inout GrammarBuilder) throws(ConstraintError) {
        let blank = try builder.literal(" ")
        space = try builder.optional(blank)
        let indent = try builder.repetition(blank, min: 0, max: Self.indentMax)
        let line = try builder.sequence([try builder.literal("\n"), indent])
        gap = try builder.choice([try builder.empty(), blank, line])
        characters = try builder.scalar(.any, isEscaped: true)
        anyString = try Self.string(
            try builder.repetition(characters, min: 0, max: nil),
            &builder
        )
        let value = try builder.rule()
        anyObject = try Self.list(
            of: try Self.member(anyString, space, value.node, &builder),
            between: "{",
            and: "}",
            gap,
            &builder
        )
        let array = try Self.list(of: value.node, between: "[", and: "]", gap, &builder)
        let number = try PatternParser.compile(Self.number, with: &builder)
        var options = [anyObject, array, anyString, number]
        for word in ["true", "false", "null"] { options.append(try builder.literal(word)) }
        builder.define(value.number, as: try builder.choice(options))
        anyValue = value.node
    }

    /// A string of `characters`.
    static func string(
        _ characters: NodeID,
        _ builder: inout GrammarBuilder
    ) throws(ConstraintError) -> NodeID {
        let quote = try builder.literal("\"")
        return try builder.sequence([quote, characters, quote])
    }

    /// A member of an object.
    static func member(
        _ key: NodeID,
        _ space: NodeID,
        _ value: NodeID,
        _ builder: inout GrammarBuilder
    ) throws(ConstraintError) -> NodeID {
        try builder.sequence([key, try builder.literal(":"), space, value])
    }

    /// Any number of parts with commas.
    private static func list(
        of part: NodeID,
        between open: String,
        and close: String,
        _ gap: NodeID,
        _ builder: inout GrammarBuilder
    ) throws(ConstraintError) -> NodeID {
        let next = try builder.sequence([try builder.literal(","), gap, part])
        let parts = try builder.sequence([
            part, try builder.repetition(next, min: 0, max: nil), gap,
        ])
        return try builder.sequence(
            [
                try builder.literal(open), gap, try builder.optional(parts),
                try builder.literal(close),
            ],
            isContainer: true
        )
    }
}
