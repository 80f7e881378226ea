// How a file is cut into what is fetched at once.

/// The pieces of a file: equally long, but for the last one.
struct PieceLayout: Sendable, Hashable {
    /// How many pieces a file is cut into, where their length allows it.
    private static let countAimedAt = 16

    let byteCount: Int
    let pieceBytes: Int

    /// The layout for a file of `byteCount` bytes, in pieces of a length within `bounds`.
    init(byteCount: Int, bounds: ClosedRange<Int>) {
        self.byteCount = byteCount
        var pieceBytes = bounds.lowerBound
        while pieceBytes * Self.countAimedAt < byteCount, pieceBytes * 2 <= bounds.upperBound {
            pieceBytes *= 2
        }
        self.pieceBytes = pieceBytes
    }

    /// How many pieces there are; an empty file has none.
    var count: Int { (byteCount + pieceBytes - 1) / pieceBytes }

    /// The bytes of the piece `index`.
    func range(of index: Int) -> Range<Int> {
        let start = index * pieceBytes
        return start..<min(start + pieceBytes, byteCount)
    }

    /// Cuts bytes that begin at `offset` of the file where its pieces end.
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
