// Identifiers for what has none of ours: the same source gives the same identifier, so that importing
// again finds what is there.

public import ChatProtocol
import Digests

extension ID {
    /// An identifier of version 7 that follows from what something is called elsewhere.
    /// - Parameters:
    ///   - names: what tells it from all others: the system, the conversation, the message.
    ///   - time: when it was made; things sort by that.
    /// - Returns: for the same names and time the same identifier.
    public static func derived(from names: [String], at time: Timestamp) -> ID {
        // A length before each name: no two lists of names are the same bytes.
        let bytes = names.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) }
        var generator = DigestGenerator(digest: SHA256.digest(of: bytes).bytes)
        let milliseconds = UInt64(min(max(0, time.milliseconds), 1 << 48 - 1))
        return ID(milliseconds: milliseconds, using: &generator)
    }
}

/// Gives out a digest's bytes.
private struct DigestGenerator: RandomNumberGenerator {
    let digest: [UInt8]
    var position = 0

    mutating func next() -> UInt64 {
        var number: UInt64 = 0
        for _ in 0..<8 {
            number = number << 8 | UInt64(digest[position % digest.count])
            position += 1
        }
        return number
    }
}
