// The tokens that may come next, as bits.

/// A set of tokens.
package struct TokenMask {
    private(set) var words: [UInt64]

    /// No token of those below `tokenLimit`.
    init(tokenLimit: Int) { words = [UInt64](repeating: 0, count: (tokenLimit + 63) / 64) }

    /// The tokens whose bits are set.
    init(words: [UInt64]) { self.words = words }

    mutating func remove(_ token: Int32) {
        words[Int(token) >> 6] &= ~(1 << UInt64(token & 63))
    }

    mutating func insert(_ token: Int32) {
        words[Int(token) >> 6] |= 1 << UInt64(token & 63)
    }

    package func contains(_ token: Int32) -> Bool {
        Int(token) >> 6 < words.count && words[Int(token) >> 6] >> UInt64(token & 63) & 1 == 1
    }

    package var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    /// The tokens, ascending.
    package var tokens: [Int32] {
        (0..<Int32(words.count * 64)).filter(contains)
    }

    /// Sets the logits of all other tokens to minus infinity.
    func apply(to logits: UnsafeMutableBufferPointer<Float>) {
        for (index, word) in words.enumerated() where word != .max {
            let first = index << 6
            for bit in 0..<min(64, max(0, logits.count - first)) where word >> UInt64(bit) & 1 == 0
            {
                logits[first + bit] = -.infinity
            }
        }
        for id in min(words.count << 6, logits.count)..<logits.count { logits[id] = -.infinity }
    }
}
