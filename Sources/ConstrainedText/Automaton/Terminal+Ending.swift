// The shortest ends of literals and scalars: how an answer is closed at its token limit.

extension Terminal {
    /// Bytes that complete it, as few as there are.
    func ending(_ grammar: Grammar) -> [UInt8] {
        switch kind {
        case .literal:
            guard case .literal(let bytes) = grammar.nodes[Int(number)] else { return [] }
            return Array(bytes[Int(value)...])
        case .scalar:
            return Self.bytes(Self.preferred(grammar.sets[Int(number)]))
        case .escapedScalar:
            let scalar = Self.preferredEscaped(grammar.sets[Int(number)])
            return JSONWriting.escaped(String(Unicode.Scalar(scalar) ?? " "))
        case .continuation:
            let scalar = leastScalar(grammar.sets[Int(number)]) ?? 0
            return Self.bytes(scalar).suffix(Int(left))
        case .anyContinuation: return [UInt8](repeating: 0x80, count: Int(left))
        case .escape: return escapeEnding(grammar.sets[Int(number)])
        case .hexadecimal: return unitEnding(grammar.sets[Int(number)])
        case .trail:
            let trail = leastTrail(grammar.sets[Int(number)]) ?? 0
            return Array(
                ([UInt8(ascii: "\\")] + JSONWriting.unicodeEscape(UInt16(trail))).suffix(Int(left))
            )
        }
    }

    /// A scalar with a short encoding: a letter or a digit where the set has one.
    private static func preferred(_ set: ScalarSet) -> UInt32 {
        for range in [0x61...0x7A, 0x30...0x39, 0x41...0x5A] as [ClosedRange<UInt32>] {
            if let scalar = set.first(in: range) { return scalar }
        }
        return set.ranges.first?.lowerBound ?? 0x20
    }

    /// The same for a JSON string, where some scalars need an escape.
    private static func preferredEscaped(_ set: ScalarSet) -> UInt32 {
        let scalar = preferred(set)
        guard scalar < 0x20 || scalar == 0x22 || scalar == 0x5C else { return scalar }
        for range in [0x20...0x21, 0x23...0x5B, 0x5D...0x7F] as [ClosedRange<UInt32>] {
            if let plain = set.first(in: range) { return plain }
        }
        // Two bytes with a backslash are as short as the shortest that follow.
        for escape in JSONWriting.escapes where set.contains(UInt32(escape.scalar)) {
            return UInt32(escape.scalar)
        }
        return set.first(in: 0x80...0x10_FFFF) ?? scalar
    }

    private static func bytes(_ scalar: UInt32) -> [UInt8] {
        Array(String(Unicode.Scalar(scalar) ?? " ").utf8)
    }

    private func escapeEnding(_ set: ScalarSet) -> [UInt8] {
        if let escape = JSONWriting.escapes.first(where: { set.contains(UInt32($0.scalar)) }) {
            return [escape.byte]
        }
        if set.contains(0x2F) { return [0x2F] }
        return [UInt8(ascii: "u")]
            + Terminal(kind: .hexadecimal, left: 4, number: number).unitEnding(set)
    }

    private func unitEnding(_ set: ScalarSet) -> [UInt8] {
        let unit = leastUnit(set) ?? 0
        let digits = Array(JSONWriting.unicodeEscape(UInt16(unit)).suffix(Int(left)))
        guard (0xD800...0xDBFF).contains(unit) else { return digits }
        let base = 0x1_0000 + (unit - 0xD800) << 10
        let trail = Self.least(ofLead: unit, set).map { 0xDC00 + ($0 - base) } ?? 0xDC00
        return digits + [UInt8(ascii: "\\")] + JSONWriting.unicodeEscape(UInt16(trail))
    }
}
