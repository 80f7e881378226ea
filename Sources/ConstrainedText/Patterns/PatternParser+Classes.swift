// Character classes and escapes of regular expressions.

/// The named classes, as ECMA-262 has them.
enum PatternClasses {
    /// `\d`
    static let digits = ScalarSet([0x30...0x39])
    /// `\w`
    static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// `\s`
    static let space = ScalarSet([
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029,
        0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])
    /// `\s`, without what other languages do not count as a space.
    static let commonSpace = space.subtracting(ScalarSet([0xFEFF...0xFEFF]))
    /// What `.` does not match.
    static let lineEnds = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])
}

extension PatternParser {
    /// A class after its `[`.
    mutating func characterClass() throws(ConstraintError) -> ScalarSet {
        let isNegated = skip("^")
        var ranges: [ClosedRange<UInt32>] = []
        while !skip("]") {
            let first = try classMember()
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                ranges += first.ranges
                continue
            }
            position += 1
            let last = try classMember()
            guard let low = first.single, let high = last.single, low <= high else {
                throw error("a range in a class has a wrong order or a class as an end")
            }
            ranges.append(low...high)
        }
        let set = ScalarSet(ranges)
        let result = isNegated ? set.complement : set
        guard !result.isEmpty else { throw error("a class is empty") }
        return result
    }

    private mutating func classMember() throws(ConstraintError) -> ScalarSet {
        guard next != nil else { throw error("a [ has no ]") }
        let scalar = take()
        if scalar == "\\" { return try escape(inClass: true) }
        // ECMA-262's flag v gives these a meaning.
        if scalar == "[" { throw error("a [ in a class must be written \\[") }
        return ScalarSet([scalar.value...scalar.value])
    }

    /// What follows a backslash.
    mutating func escape(inClass: Bool) throws(ConstraintError) -> ScalarSet {
        guard next != nil else { throw error("it ends with a backslash") }
        let scalar = take()
        switch scalar {
        case "d": return PatternClasses.digits
        case "D": return PatternClasses.digits.complement
        case "w": return PatternClasses.word
        case "W": return PatternClasses.word.complement
        case "s": return PatternClasses.commonSpace
        case "S": return PatternClasses.space.complement
        case "t": return ScalarSet([0x09...0x09])
        case "n": return ScalarSet([0x0A...0x0A])
        case "v": return ScalarSet([0x0B...0x0B])
        case "f": return ScalarSet([0x0C...0x0C])
        case "r": return ScalarSet([0x0D...0x0D])
        case "x": return try set(of: try hexadecimal(digits: 2))
        case "u": return try unicodeEscape()
        case "b" where inClass: return ScalarSet([0x08...0x08])
        case "b", "B": throw error("\\b and \\B are not supported")
        case "A", "Z", "z": throw error("\\A and \\Z are not supported: write ^ and $")
        case "p", "P": throw error("\\p is not supported: list the characters in a class")
        case "k", "1"..."9": throw error("references to groups are not supported")
        case "0": throw error("\\0 is not supported")
        default:
            guard !PatternClasses.word.contains(scalar.value) else {
                throw error("\\\(scalar) is not supported")
            }
            return ScalarSet([scalar.value...scalar.value])
        }
    }

    /// `XXXX`, `{X…}`, or the first half of a surrogate pair with the second one.
    private mutating func unicodeEscape() throws(ConstraintError) -> ScalarSet {
        if skip("{") {
            var value: UInt32 = 0
            while let digit = next?.hexadecimalValue, value <= 0x10_FFFF {
                value = value << 4 | digit
                position += 1
            }
            guard skip("}") else { throw error("\\u{…} is malformed") }
            return try set(of: value)
        }
        let unit = try hexadecimal(digits: 4)
        guard (0xD800...0xDBFF).contains(unit) else { return try set(of: unit) }
        guard skip("\\"), skip("u") else { throw error("half of a surrogate pair") }
        let low = try hexadecimal(digits: 4)
        guard (0xDC00...0xDFFF).contains(low) else { throw error("half of a surrogate pair") }
        return try set(of: 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    }

    private mutating func hexadecimal(digits: Int) throws(ConstraintError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let digit = next?.hexadecimalValue else { throw error("an escape is malformed") }
            value = value << 4 | digit
            position += 1
        }
        return value
    }

    private func set(of value: UInt32) throws(ConstraintError) -> ScalarSet {
        let range = value...value
        guard Unicode.Scalar(value) != nil else { throw error("an escape is no character") }
        return ScalarSet([range])
    }
}

extension Unicode.Scalar {
    /// The value of a hexadecimal digit.
    fileprivate var hexadecimalValue: UInt32? {
        switch value {
        case 0x30...0x39: value - 0x30
        case 0x41...0x46: value - 0x41 + 10
        case 0x61...0x66: value - 0x61 + 10
        default: nil
        }
    }
}
