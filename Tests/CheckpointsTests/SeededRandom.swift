// Random numbers that are the same in every run, for fuzz tests.

/// SplitMix64.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// `bytes` with one to four small damages: bytes replaced, removed, doubled, or the end cut
    /// off.
    mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) where !result.isEmpty {
            let position = Int.random(in: 0..<result.count, using: &self)
            switch Int.random(in: 0..<8, using: &self) {
            case 0: result.remove(at: position)
            case 1: result.insert(result[position], at: position)
            case 2: result.removeLast(Int.random(in: 0...min(8, result.count), using: &self))
            case 3: result[position] = UInt8(ascii: "9")
            case 4: result[position] = UInt8(ascii: "-")
            case 5: result[position] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            default: result[position] = UInt8.random(in: 0...255, using: &self)
            }
        }
        return result
    }
}
