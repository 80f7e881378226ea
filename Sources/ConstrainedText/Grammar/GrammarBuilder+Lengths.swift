// Lengths of the texts of a node, in characters: `minLength` beside a pattern.

extension GrammarBuilder {
    /// The texts of `node` with `min` to `max` characters; nil if that is more than can be held.
    ///
    /// It can be held where all texts have such a length anyway, and for a class that is repeated.
    mutating func bounding(
        _ node: NodeID,
        min: Int,
        max: Int?
    ) throws(ConstraintError) -> NodeID? {
        let lengths = lengths(of: node)
        if min <= lengths.min, max.map({ lengths.max <= $0 }) ?? true { return node }
        guard case .repetition(let body, let ownMin, let ownMax) = grammar.nodes[Int(node)],
            case .scalar = grammar.nodes[Int(body)]
        else { return nil }
        let unlimited = ownMax == Grammar.unlimited
        let upper = Swift.min(max ?? .max, unlimited ? .max : Int(ownMax))
        let lower = Swift.max(min, Int(ownMin))
        guard lower <= upper else { return try never() }
        return try repetition(body, min: lower, max: upper == .max ? nil : upper)
    }

    /// The shortest and the longest text of a node without rules, in characters of a JSON string.
    private func lengths(of node: NodeID) -> (min: Int, max: Int) {
        switch grammar.nodes[Int(node)] {
        case .literal(let bytes):
            let count = Self.characterCount(bytes)
            return (count, count)
        case .scalar: return (1, 1)
        case .rule: return (0, .max)
        case .sequence(let parts, _):
            return parts.map(lengths).reduce((0, 0)) { sum, part in
                (sum.0 + part.min, Self.sum(sum.1, part.max))
            }
        case .choice(let options):
            let all = options.map(lengths)
            return (all.map(\.min).min() ?? 0, all.map(\.max).max() ?? 0)
        case .repetition(let body, let min, let max):
            let inner = lengths(of: body)
            let (product, overflows) = inner.max.multipliedReportingOverflow(by: Int(max))
            return (
                inner.min * Int(min),
                max == Grammar.unlimited || overflows ? .max : product
            )
        }
    }

    private static func sum(_ one: Int, _ two: Int) -> Int {
        let (sum, overflows) = one.addingReportingOverflow(two)
        return overflows ? .max : sum
    }

    /// The characters of a part of a JSON string.
    private static func characterCount(_ bytes: [UInt8]) -> Int {
        var count = 0
        var position = 0
        while position < bytes.count {
            if bytes[position] == UInt8(ascii: "\\") {
                position += bytes[position + 1] == UInt8(ascii: "u") ? 6 : 2
                count += 1
            } else {
                if bytes[position] & 0xC0 != 0x80 { count += 1 }
                position += 1
            }
        }
        return count
    }
}
