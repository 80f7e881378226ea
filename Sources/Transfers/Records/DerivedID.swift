// Derived identifiers for imported objects: the same source gives the same identifier, so a second import
// finds what exists.

public import ChatProtocol
import Digests

extension ID {
    /// A version 7 identifier derived from an object's identity elsewhere.
    /// - Parameters:
    ///   - names: its identity: the system, the conversation, the message.
    ///   - time: when it was created, which determines the sort order.
    /// - Returns: for the same names and time the same identifier.
    public static func derived(from names: [String], at time: Timestamp) -> ID {
        // The length before each name makes the encoding unambiguous.
        let bytes = names.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) }
        var generator = DigestGenerator(digest: SHA256.digest(of: bytes).bytes)
        let milliseconds = UInt64(min(max(0, time.milliseconds), 1 << 48 - 1))
        return ID(milliseconds: milliseconds, using: &generator)
    }
}

/// Returns a digest's bytes as random numbers.
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
