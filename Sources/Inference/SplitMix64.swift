// A random number generator, so that a seed gives the same answer with every toolchain.
//
// Not for secrets: its state can be computed from its output.

/// Steele, Lea and Flood's SplitMix64 ("Fast splittable pseudorandom number generators", 2014).
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Advances as if `count` numbers had been generated.
    mutating func skip(_ count: Int) {
        state &+= 0x9E37_79B9_7F4A_7C15 &* UInt64(count)
    }

    /// The next number in 0 ..< 1, one of 2^53 equally spaced ones. Not `Double.random`, since the
    /// standard library does not specify how it uses a generator.
    public mutating func nextUnit() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}
