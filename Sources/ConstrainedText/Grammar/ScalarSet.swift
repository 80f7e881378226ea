// Sets of Unicode scalars, as ascending ranges.

/// A set of Unicode scalars. Never contains U+0000, which PostgreSQL cannot store in a text.
struct ScalarSet: Sendable, Hashable {
    /// Ascending, disjoint and not adjacent.
    let ranges: [ClosedRange<UInt32>]

    /// The set of all scalars in `ranges`, without surrogates and U+0000.
    init(_ ranges: [ClosedRange<UInt32>]) {
        var merged: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound <= last.upperBound &+ 1 {
                let end = max(last.upperBound, range.upperBound)
                merged[merged.count - 1] = last.lowerBound...end
            } else {
                merged.append(range)
            }
        }
        self.ranges = Self.valid.flatMap { valid in
            merged.compactMap { range in
                range.overlaps(valid) ? range.clamped(to: valid) : nil
            }
        }
    }

    private static let valid: [ClosedRange<UInt32>] = [1...0xD7FF, 0xE000...0x10_FFFF]

    /// All scalars.
    static let any = ScalarSet(valid)
    /// What stands for itself in any text, also in a JSON string: neither quotes and backslashes
    /// nor what some writers escape. States that accept all of it skip most of the vocabulary.
    static let plain = ScalarSet([
        0x20...0x21, 0x23...0x5B, 0x5D...0x7E, 0xA0...0x2027, 0x202A...0x10_FFFF,
    ])

    var isEmpty: Bool { ranges.isEmpty }

    /// The only scalar; nil if there is none or more than one.
    var single: UInt32? {
        ranges.count == 1 && ranges[0].count == 1 ? ranges[0].lowerBound : nil
    }

    /// All scalars that are not in this set.
    var complement: ScalarSet {
        var rest: [ClosedRange<UInt32>] = []
        var start: UInt32 = 0
        for range in ranges {
            if range.lowerBound > start { rest.append(start...range.lowerBound - 1) }
            start = range.upperBound + 1
        }
        if start <= 0x10_FFFF { rest.append(start...0x10_FFFF) }
        return ScalarSet(rest)
    }

    func contains(_ scalar: UInt32) -> Bool { first(in: scalar...scalar) != nil }

    /// The least scalar in `range`.
    func first(in range: ClosedRange<UInt32>) -> UInt32? {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < range.lowerBound {
                low = middle + 1
            } else {
                high = middle
            }
        }
        guard low < ranges.count, ranges[low].lowerBound <= range.upperBound else { return nil }
        return max(ranges[low].lowerBound, range.lowerBound)
    }

    /// Whether it has all scalars of `range`.
    func contains(all range: ClosedRange<UInt32>) -> Bool {
        ranges.contains { $0.contains(range.lowerBound) && $0.contains(range.upperBound) }
    }

    func isSuperset(of other: ScalarSet) -> Bool {
        other.ranges.allSatisfy { contains(all: $0) }
    }

    func union(_ other: ScalarSet) -> ScalarSet { ScalarSet(ranges + other.ranges) }

    func subtracting(_ other: ScalarSet) -> ScalarSet { complement.union(other).complement }
}
