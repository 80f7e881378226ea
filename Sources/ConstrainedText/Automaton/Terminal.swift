// What is read next in one way to read a text: the rest of a literal or of one scalar.

/// The rest of a literal or a scalar. A value: bytes in, the rest out.
struct Terminal: Sendable, Hashable {
    /// What the rest is of.
    enum Kind: UInt8, Sendable {
        /// A literal; `number` is its node, `value` the position of the next byte.
        case literal
        /// A scalar from its first byte on; `number` is its set.
        case scalar
        /// The same in a JSON string.
        case escapedScalar
        /// Bytes of UTF-8 after the first: `value` has the bits so far, `left` bytes are missing.
        case continuation
        /// The same where all scalars that begin so are in the set: `left` bytes, whatever they are.
        case anyContinuation
        /// What follows a backslash in a JSON string.
        case escape
        /// Digits of `\uXXXX`: `value` has the bits so far, `left` digits are missing.
        case hexadecimal
        /// The second half of a surrogate pair, `\uXXXX`: `bound` is the first half, `left` bytes
        /// of six are missing, `value` has the bits so far.
        case trail
    }

    var kind: Kind
    var left: UInt8 = 0
    var number: Int32
    var value: UInt32 = 0
    /// The least scalar of this many bytes, or the first half of a pair.
    var bound: UInt32 = 0

    /// What a byte makes of a rest.
    enum Step {
        /// The byte is not allowed.
        case refused
        /// The literal or scalar is complete.
        case complete
        case rest(Terminal)
    }

    /// Reads a byte.
    /// - Parameters:
    ///   - byte: the byte.
    ///   - grammar: the grammar whose numbers the terminal has.
    /// - Returns: what is left.
    func step(_ byte: UInt8, _ grammar: Grammar) -> Step {
        switch kind {
        case .literal: literalStep(byte, grammar)
        case .scalar: firstByte(byte, grammar.sets[Int(number)])
        case .escapedScalar:
            switch byte {
            case UInt8(ascii: "\\"): .rest(Terminal(kind: .escape, number: number))
            case 0..<0x20, UInt8(ascii: "\""): .refused
            default: firstByte(byte, grammar.sets[Int(number)])
            }
        case .continuation: continuationByte(byte, grammar.sets[Int(number)])
        case .anyContinuation:
            if byte & 0xC0 != 0x80 {
                .refused
            } else if left == 1 {
                .complete
            } else {
                .rest(Terminal(kind: .anyContinuation, left: left - 1, number: number))
            }
        case .escape: escapeByte(byte, grammar.sets[Int(number)])
        case .hexadecimal: digit(byte, grammar.sets[Int(number)])
        case .trail: trailByte(byte, grammar.sets[Int(number)])
        }
    }

    /// The next byte of a literal.
    func literalByte(_ grammar: Grammar) -> UInt8? {
        guard case .literal(let bytes) = grammar.nodes[Int(number)] else { return nil }
        return bytes[Int(value)]
    }

    private func literalStep(_ byte: UInt8, _ grammar: Grammar) -> Step {
        guard case .literal(let bytes) = grammar.nodes[Int(number)], bytes[Int(value)] == byte
        else { return .refused }
        if Int(value) + 1 == bytes.count { return .complete }
        var rest = self
        rest.value += 1
        return .rest(rest)
    }

    // MARK: - UTF-8

    private func firstByte(_ byte: UInt8, _ set: ScalarSet) -> Step {
        if byte < 0x80 { return set.contains(UInt32(byte)) ? .complete : .refused }
        let (left, bits, bound): (UInt8, UInt8, UInt32)
        switch byte {
        case 0xC2...0xDF: (left, bits, bound) = (1, byte & 0x1F, 0x80)
        case 0xE0...0xEF: (left, bits, bound) = (2, byte & 0x0F, 0x800)
        case 0xF0...0xF4: (left, bits, bound) = (3, byte & 0x07, 0x1_0000)
        default: return .refused
        }
        return continued(left: left, value: UInt32(bits), bound: bound, set)
    }

    private func continuationByte(_ byte: UInt8, _ set: ScalarSet) -> Step {
        guard byte & 0xC0 == 0x80 else { return .refused }
        let bits = value << 6 | UInt32(byte & 0x3F)
        if left == 1 { return bits >= bound && set.contains(bits) ? .complete : .refused }
        return continued(left: left - 1, value: bits, bound: bound, set)
    }

    private func continued(left: UInt8, value: UInt32, bound: UInt32, _ set: ScalarSet) -> Step {
        let rest = Terminal(
            kind: .continuation,
            left: left,
            number: number,
            value: value,
            bound: bound
        )
        guard let range = rest.scalars, let first = set.first(in: range) else { return .refused }
        // One state instead of thousands, where the value does not matter.
        if first == range.lowerBound, range.count == 1 << (6 * Int(left)), set.contains(all: range)
        {
            return .rest(Terminal(kind: .anyContinuation, left: left, number: number))
        }
        return .rest(rest)
    }

    /// The scalars that the bytes so far can begin.
    private var scalars: ClosedRange<UInt32>? {
        let shift = 6 * UInt32(left)
        let low = max(value << shift, bound)
        let high = (value + 1) << shift - 1
        return low <= high ? low...high : nil
    }

    /// The least scalar of the set that the bytes so far can begin.
    func leastScalar(_ set: ScalarSet) -> UInt32? { scalars.flatMap { set.first(in: $0) } }

    // MARK: - Escapes

    private func escapeByte(_ byte: UInt8, _ set: ScalarSet) -> Step {
        if byte == UInt8(ascii: "u") {
            return .rest(Terminal(kind: .hexadecimal, left: 4, number: number))
        }
        let scalar: UInt8? =
            byte == UInt8(ascii: "/")
            ? byte : JSONWriting.escapes.first { $0.byte == byte }?.scalar
        return scalar.map { set.contains(UInt32($0)) } ?? false ? .complete : .refused
    }

    private func digit(_ byte: UInt8, _ set: ScalarSet) -> Step {
        guard let digit = Self.hexadecimalValue(byte) else { return .refused }
        var rest = self
        rest.left -= 1
        rest.value = value << 4 | digit
        if rest.left > 0 { return rest.leastUnit(set) == nil ? .refused : .rest(rest) }
        if set.contains(rest.value) { return .complete }
        guard (0xD800...0xDBFF).contains(rest.value), Self.least(ofLead: rest.value, set) != nil
        else { return .refused }
        return .rest(Terminal(kind: .trail, left: 6, number: number, bound: rest.value))
    }

    /// The least code unit that the digits so far can begin: a scalar of the set, or the first half
    /// of one.
    func leastUnit(_ set: ScalarSet) -> UInt32? {
        let shift = 4 * UInt32(left)
        let range = value << shift...((value + 1) << shift - 1)
        if let scalar = set.first(in: range) { return scalar }
        let leads = UInt32(0xD800)...0xDBFF
        guard range.overlaps(leads) else { return nil }
        let clamped = range.clamped(to: leads)
        let low = 0x1_0000 + (clamped.lowerBound - 0xD800) << 10
        let high = 0x1_0000 + (clamped.upperBound - 0xD800) << 10 + 0x3FF
        return set.first(in: low...high).map { 0xD800 + ($0 - 0x1_0000) >> 10 }
    }

    /// The least scalar of the set with this first half.
    static func least(ofLead lead: UInt32, _ set: ScalarSet) -> UInt32? {
        let low = 0x1_0000 + (lead - 0xD800) << 10
        return set.first(in: low...low + 0x3FF)
    }

    private func trailByte(_ byte: UInt8, _ set: ScalarSet) -> Step {
        var rest = self
        rest.left -= 1
        switch left {
        case 6: return byte == UInt8(ascii: "\\") ? .rest(rest) : .refused
        case 5: return byte == UInt8(ascii: "u") ? .rest(rest) : .refused
        default: break
        }
        guard let digit = Self.hexadecimalValue(byte) else { return .refused }
        rest.value = value << 4 | digit
        guard rest.leastTrail(set) != nil else { return .refused }
        return rest.left == 0 ? .complete : .rest(rest)
    }

    /// The least second half that the digits so far can begin.
    func leastTrail(_ set: ScalarSet) -> UInt32? {
        let shift = 4 * UInt32(min(left, 4))
        let range = value << shift...((value + 1) << shift - 1)
        let trails = UInt32(0xDC00)...0xDFFF
        guard range.overlaps(trails) else { return nil }
        let clamped = range.clamped(to: trails)
        let base = 0x1_0000 + (bound - 0xD800) << 10
        let low = base + (clamped.lowerBound - 0xDC00)
        let high = base + (clamped.upperBound - 0xDC00)
        return set.first(in: low...high).map { 0xDC00 + ($0 - base) }
    }

    static func hexadecimalValue(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte - UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte - UInt8(ascii: "A")) + 10
        default: nil
        }
    }
}
