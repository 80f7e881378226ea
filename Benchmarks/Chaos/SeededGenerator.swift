// Random numbers that are the same in each run with the same seed.

/// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// The numbers of one part of a plan: each part has its own, independent of the order of
    /// events.
    init(seed: UInt64, _ stream: String, _ index: Int = 0) {
        state = seed
        for byte in stream.utf8 { state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        state ^= UInt64(truncatingIfNeeded: index) &* 0xD6E8_FEB8_6659_FD93
        _ = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True with probability 1 / `count`.
    mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// A duration below `milliseconds`.
    mutating func pause(below milliseconds: Int) -> Duration {
        .milliseconds(Int.random(in: 0..<max(1, milliseconds), using: &self))
    }
}
