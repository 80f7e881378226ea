// The ways in which a network may split a stream of bytes. A protocol core's result must not depend
// on them: its table tests run once for each.

/// A way of splitting a stream into reads.
public enum Delivery: Sendable, Hashable {
    /// In one read.
    case whole
    /// One read for each byte.
    case byteByByte
    /// Reads of random lengths.
    case randomChunks(seed: UInt64)

    /// The ways that table tests use.
    public static let all: [Delivery] =
        [.whole, .byteByByte] + (1...4).map { .randomChunks(seed: $0) }

    /// Splits `bytes` in this way. No piece is empty.
    public func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        switch self {
        case .whole: return bytes.isEmpty ? [] : [bytes]
        case .byteByByte: return bytes.map { [$0] }
        case .randomChunks(let seed):
            var generator = SeededGenerator(seed: seed)
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                // Short and long reads, so that splits occur everywhere.
                let countMax = Bool.random(using: &generator) ? 4 : 40
                let count = Int.random(in: 1...countMax, using: &generator)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            return pieces
        }
    }
}
