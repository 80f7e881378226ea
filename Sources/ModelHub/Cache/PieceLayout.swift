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

    /// Splits bytes that start at file offset `offset` at piece boundaries.
    func parts(of bytes: [UInt8], at offset: Int) -> [(index: Int, bytes: ArraySlice<UInt8>)] {
        var parts: [(index: Int, bytes: ArraySlice<UInt8>)] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let index = (offset + rest.startIndex) / pieceBytes
            let part = rest.prefix(range(of: index).upperBound - offset - rest.startIndex)
            parts.append((index, part))
            rest = rest.dropFirst(part.count)
        }
        return parts
    }
}
