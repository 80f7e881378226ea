// The ways in which a network may cut a stream of bytes. A protocol core must not see the cuts: each
// table of a core's tests runs once in each way.

/// One way of cutting a stream into reads.
public enum Delivery: Sendable, Hashable {
    /// All at once.
    case whole
    /// A read for each byte.
    case byteByByte
    /// Reads of random lengths.
    case randomChunks(seed: UInt64)

    /// The ways that a table runs in.
    public static let all: [Delivery] =
        [.whole, .byteByByte] + (1...4).map { .randomChunks(seed: $0) }

    /// `bytes` cut in this way. No piece is empty.
    public func pieces(of bytes: [UInt8]) -> [[UInt8]] {
        switch self {
        case .whole: return bytes.isEmpty ? [] : [bytes]
        case .byteByByte: return bytes.map { [$0] }
        case .randomChunks(let seed):
            var generator = SeededGenerator(seed: seed)
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                // Short reads and long ones, so that cuts fall everywhere.
                let countMax = Bool.random(using: &generator) ? 4 : 40
                let count = Int.random(in: 1...countMax, using: &generator)
                pieces.append(Array(rest.prefix(count)))
                rest = rest.dropFirst(count)
            }
            return pieces
        }
    }
}
