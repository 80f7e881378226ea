// Reproducible random numbers: a failing case of a property or fuzz test can be repeated by its
// seed.

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator.
    public init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// `count` random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
    }

    /// `bytes` with a few random edits: flips, overwrites, insertions, deletions, repeated and
    /// swapped ranges, truncation. Input for fuzz tests besides random bytes.
    public mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &self) {
            guard !bytes.isEmpty else { return self.bytes(8) }
            let index = Int.random(in: 0..<bytes.count, using: &self)
            let end = min(index + Int.random(in: 1...16, using: &self), bytes.count)
            switch Int.random(in: 0..<7, using: &self) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: bytes[index] = UInt8.random(in: .min ... .max, using: &self)
            case 2:
                let count = Int.random(in: 1...8, using: &self)
                bytes.insert(contentsOf: self.bytes(count), at: index)
            case 3: bytes.removeSubrange(index..<end)
            case 4: bytes.insert(contentsOf: bytes[index..<end], at: index)
            case 5: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &self))
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }
}
