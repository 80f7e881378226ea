// The Unicode classes in word patterns, in a table that is created from the generated ranges on
// first use.

/// A class of Unicode scalars; general categories in brackets.
enum ScalarClass: UInt8 {
    /// Everything else: punctuation, symbols, controls, unassigned.
    case other
    /// White_Space, which is what `\s` means.
    case space
    /// [N]
    case number
    /// [M]
    case mark
    /// [Lu, Lt]
    case upper
    /// [Ll]
    case lower
    /// [Lm, Lo]
    case caseless

    /// `\p{L}`
    var isLetter: Bool { rawValue >= ScalarClass.upper.rawValue }

    /// The classes of all scalars.
    static let lookup = ScalarClassTable(ranges)

    /// The UTF-8 bytes of each white space scalar.
    static let spaces: [[UInt8]] = (UInt32(0)...0x3000).compactMap { value in
        guard let scalar = Unicode.Scalar(value), lookup[scalar] == .space else { return nil }
        return Array(String(Character(scalar)).utf8)
    }
}

/// The class of every scalar; a megabyte.
struct ScalarClassTable: Sendable {
    private var classes = [ScalarClass](repeating: .other, count: 0x110000)

    /// Expands `ranges`, in the format of ScalarClassRanges.swift.
    init(_ ranges: [UInt32]) {
        for (index, range) in ranges.enumerated() {
            let first = Int(range >> 3)
            let end = index + 1 < ranges.count ? Int(ranges[index + 1] >> 3) : classes.count
            for scalar in first..<end {
                classes[scalar] =
                    ScalarClass(rawValue: UInt8(range & 7))
                    ?? ((scalar - first) % 2 == 0 ? .upper : .lower)
            }
        }
    }

    /// The class of `scalar`.
    subscript(scalar: Unicode.Scalar) -> ScalarClass { classes[Int(scalar.value)] }
}
