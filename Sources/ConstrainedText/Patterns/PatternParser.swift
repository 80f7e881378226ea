// Regular expressions: the subset of ECMA-262 that describes a regular language, as JSON Schema's
// `pattern` uses it. Each construct that is not supported is refused by its name.

/// Compiles regular expressions to nodes of a grammar.
struct PatternParser {
    typealias NodeID = Grammar.NodeID

    let isEscaped: Bool
    private(set) var scalars: [Unicode.Scalar]
    var position = 0

    /// Compiles `pattern`.
    /// - Parameters:
    ///   - pattern: the regular expression.
    ///   - isEscaped: whether its text stands in a JSON string.
    ///   - isSearched: whether the pattern may match anywhere in a text, as in JSON Schema, rather
    ///     than the whole text.
    ///   - builder: the grammar that gets the nodes.
    /// - Returns: the node of all texts that match.
    /// - Throws: `ConstraintError`, without a pointer.
    static func compile(
        _ pattern: String,
        isEscaped: Bool = false,
        isSearched: Bool = false,
        with builder: inout GrammarBuilder
    ) throws(ConstraintError) -> NodeID {
        guard pattern.utf8.count <= ConstraintLimits.patternBytesMax else {
            throw ConstraintError(
                "the pattern has more than \(ConstraintLimits.patternBytesMax) bytes"
            )
        }
        var parser = PatternParser(
            isEscaped: isEscaped,
            scalars: Array(pattern.unicodeScalars)
        )
        var options: [NodeID] = []
        repeat { options.append(try parser.anchored(isSearched, &builder)) } while parser.skip("|")
        guard parser.next == nil else { throw parser.error("a ) has no (") }
        return try builder.choice(options)
    }

    /// One alternative of the whole pattern, with its anchors.
    private mutating func anchored(
        _ isSearched: Bool,
        _ builder: inout GrammarBuilder
    ) throws(ConstraintError) -> NodeID {
        let rest =
            isSearched
            ? try builder.repetition(
                try builder.scalar(.any, isEscaped: isEscaped),
                min: 0,
                max: nil
            ) : try builder.empty()
        let isAtStart = skip("^")
        let parts = try sequence(&builder, depth: 0)
        let isAtEnd = skip("$")
        return try builder.sequence([
            isAtStart ? try builder.empty() : rest, parts, isAtEnd ? try builder.empty() : rest,
        ])
    }

    // MARK: - Syntax

    private mutating func alternatives(
        _ builder: inout GrammarBuilder,
        depth: Int
    ) throws(ConstraintError) -> NodeID {
        guard depth <= ConstraintLimits.patternDepthMax else {
            throw error("groups are nested deeper than \(ConstraintLimits.patternDepthMax)")
        }
        var options: [NodeID] = []
        repeat { options.append(try sequence(&builder, depth: depth)) } while skip("|")
        return try builder.choice(options)
    }

    private mutating func sequence(
        _ builder: inout GrammarBuilder,
        depth: Int
    ) throws(ConstraintError) -> NodeID {
        var parts: [NodeID] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            if scalar == "$" {
                guard depth == 0, position + 1 == scalars.count || scalars[position + 1] == "|"
                else { throw error("$ is supported only at the end") }
                break
            }
            let atom = try atom(&builder, depth: depth)
            parts.append(try quantified(atom, &builder))
        }
        return try builder.sequence(parts)
    }

    private mutating func atom(
        _ builder: inout GrammarBuilder,
        depth: Int
    ) throws(ConstraintError) -> NodeID {
        switch take() {
        case "(":
            try groupKind()
            let body = try alternatives(&builder, depth: depth + 1)
            guard skip(")") else { throw error("a ( has no )") }
            return body
        case "[": return try builder.scalar(try characterClass(), isEscaped: isEscaped)
        case ".":
            return try builder.scalar(PatternClasses.lineEnds.complement, isEscaped: isEscaped)
        case "\\": return try builder.scalar(try escape(inClass: false), isEscaped: isEscaped)
        case "^": throw error("^ is supported only at the start")
        case "*", "+", "?", "{": throw error("a quantifier has nothing to repeat")
        case let scalar:
            return try builder.scalar(
                ScalarSet([scalar.value...scalar.value]),
                isEscaped: isEscaped
            )
        }
    }

    /// What follows the parenthesis of a group that does not capture.
    private mutating func groupKind() throws(ConstraintError) {
        guard skip("?") else { return }
        if skip(":") { return }
        if skip("<"), next != "=", next != "!" {
            while let scalar = next, scalar != ">" {
                guard scalar.properties.isAlphabetic || PatternClasses.word.contains(scalar.value)
                else { throw error("a group's name has a wrong character") }
                position += 1
            }
            guard skip(">") else { throw error("a group's name has no end") }
            return
        }
        throw error("lookahead, lookbehind and flags are not supported")
    }

    private mutating func quantified(
        _ atom: NodeID,
        _ builder: inout GrammarBuilder
    ) throws(ConstraintError) -> NodeID {
        let counts: (min: Int, max: Int?)
        if skip("*") {
            counts = (0, nil)
        } else if skip("+") {
            counts = (1, nil)
        } else if skip("?") {
            counts = (0, 1)
        } else if skip("{") {
            counts = try countRange()
        } else {
            return atom
        }
        // A lazy quantifier matches the same texts.
        _ = skip("?")
        if let next, "*+?{".unicodeScalars.contains(next) {
            throw error("a quantifier follows a quantifier")
        }
        return try builder.repetition(atom, min: counts.min, max: counts.max)
    }

    /// `n}`, `n,}` or `n,m}`.
    private mutating func countRange() throws(ConstraintError) -> (min: Int, max: Int?) {
        let min = try number()
        if skip("}") { return (min, min) }
        guard skip(",") else { throw error("a count is malformed: write a { as \\{") }
        if skip("}") { return (min, nil) }
        let max = try number()
        guard skip("}") else { throw error("a count is malformed: write a { as \\{") }
        guard min <= max else { throw error("a count's minimum is larger than its maximum") }
        return (min, max)
    }

    private mutating func number() throws(ConstraintError) -> Int {
        var value: Int?
        while let scalar = next, ("0"..."9").contains(scalar) {
            let sum = (value ?? 0) * 10 + Int(scalar.value - 48)
            guard sum <= ConstraintLimits.countMax else {
                throw error("a count is larger than \(ConstraintLimits.countMax)")
            }
            value = sum
            position += 1
        }
        guard let value else { throw error("a count is malformed: write a { as \\{") }
        return value
    }

    // MARK: - Scalars

    /// The next scalar; nil at the end.
    var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    /// Takes the next scalar; the caller knows that there is one.
    mutating func take() -> Unicode.Scalar {
        defer { position += 1 }
        return scalars[position]
    }

    /// Takes the next scalar if it is `scalar`.
    mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    /// An error with the place in the pattern.
    func error(_ reason: String) -> ConstraintError {
        ConstraintError("the pattern is not supported: \(reason) (character \(position))")
    }
}
