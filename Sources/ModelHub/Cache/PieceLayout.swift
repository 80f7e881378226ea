// How a file is split into pieces that are fetched separately.

/// The pieces of a file, of equal length except the last.
struct PieceLayout: Sendable, Hashable {
    /// The number of pieces per file to aim for, within the limits on their length.
    private static let countAimedAt = 16

    let byteCount: Int
    let pieceBytes: Int

    /// The layout of a file of `byteCount` bytes, with a piece length within `bounds`.
    init(byteCount: Int, bounds: ClosedRange<Int>) {
        self.byteCount = byteCount
        var pieceBytes = bounds.lowerBound
        while pieceBytes * Self.countAimedAt < byteCount, pieceBytes * 2 <= bounds.upperBound {
            pieceBytes *= 2
        }
        self.pieceBytes = pieceBytes
    }

    /// The number of pieces; 0 for an empty file.
    var count: Int { (byteCount + pieceBytes - 1) / pieceBytes }

    /// The bytes of the piece `index`.
    func range(of index: Int) -> Range<Int> {
        let start = index * pieceBytes
        return start..<min(start + pieceBytes, byteCount)
    }

    /// Some bytes of one piece.
    struct Part {
        let index: Int
        /// Whether they begin with the piece's first byte.
        let isStart: Bool
        let bytes: ArraySlice<UInt8>
    }

    /// Splits bytes that start at file offset `offset` at piece boundaries.
    func parts(of bytes: [UInt8], at offset: Int) -> [Part] {
        var parts: [Part] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let start = offset + rest.startIndex
            let range = range(of: start / pieceBytes)
            let bytes = rest.prefix(range.upperBound - start)
            let isStart = start == range.lowerBound
            parts.append(Part(index: start / pieceBytes, isStart: isStart, bytes: bytes))
            rest = rest.dropFirst(bytes.count)
        }
        return parts
    }
}
