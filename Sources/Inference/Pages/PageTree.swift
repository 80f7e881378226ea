// The records of a page file: the tokens of each page, and the page before it.

package import Checkpoints
package import PhiModel

/// The record before a page in its slot.
package struct PageRecord: Sendable, Hashable {
    static let byteCount = 4 + 4 + 4 + 4 * KeyValuePool.pagePositions + 8 + 8

    /// The slot of the previous page; nil for the first page of a sequence.
    package var parent: Int?
    /// The factor set of the page's keys.
    package var ropeFactors: RopeFactors
    /// The tokens of the page.
    package var tokens: [TokenID]
    /// The checksum of the page's bytes.
    package var pageChecksum: UInt64

    /// Creates a record.
    package init(
        parent: Int?,
        ropeFactors: RopeFactors,
        tokens: [TokenID],
        pageChecksum: UInt64
    ) {
        self.parent = parent
        self.ropeFactors = ropeFactors
        self.tokens = tokens
        self.pageChecksum = pageChecksum
    }

    /// Parses the record of `slot`.
    /// - Throws: `.damaged` if it is invalid.
    package init(_ bytes: UnsafeRawBufferPointer, slot: Int) throws(PageStoreError) {
        guard bytes.count == Self.byteCount, PageChecksum.isRight(bytes) else { throw .damaged }
        let parent = Int(bytes.littleEndian(Int32.self, at: 0))
        let code = bytes.littleEndian(UInt32.self, at: 4)
        let count = Int(bytes.littleEndian(UInt32.self, at: 8))
        // Parents have lower slots, so that there are no cycles.
        guard (-1..<slot).contains(parent),
            let ropeFactors = RopeFactors.allCases.first(where: { Self.code($0) == code }),
            (1...KeyValuePool.pagePositions).contains(count)
        else { throw .damaged }
        self.parent = parent < 0 ? nil : parent
        self.ropeFactors = ropeFactors
        tokens = (0..<count).map { bytes.littleEndian(TokenID.self, at: 12 + 4 * $0) }
        pageChecksum = bytes.littleEndian(UInt64.self, at: 12 + 4 * KeyValuePool.pagePositions)
    }

    /// The encoded record.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: Int32(parent ?? -1))
        bytes.append(littleEndian: Self.code(ropeFactors))
        bytes.append(littleEndian: UInt32(tokens.count))
        for index in 0..<KeyValuePool.pagePositions {
            bytes.append(littleEndian: index < tokens.count ? tokens[index] : 0)
        }
        bytes.append(littleEndian: pageChecksum)
        bytes.append(littleEndian: bytes.withUnsafeBytes { PageChecksum.of($0) })
        return bytes
    }

    /// Whether the page is full.
    var isFull: Bool { tokens.count == KeyValuePool.pagePositions }

    private static func code(_ ropeFactors: RopeFactors) -> UInt32 {
        switch ropeFactors {
        case .short: 1
        case .long: 2
        case .plain: 3
        }
    }
}

/// The records of a file, by slots.
package struct PageTree: Sendable, Hashable {
    /// A page of a path, and how many of its tokens match.
    package struct Step: Sendable, Hashable {
        package let slot: Int
        package let count: Int
    }

    /// The record of each slot.
    package private(set) var records: [PageRecord] = []
    /// The child slots of a slot; for nil, the slots of first pages.
    private var followers: [Int?: [Int]] = [:]

    /// Creates an empty tree.
    package init() {}

    /// Reads the records of a file.
    /// - Throws: `PageStoreError` if it does not have this format.
    package init(
        _ file: UnsafeRawBufferPointer,
        _ format: PageFormat
    ) throws(PageStoreError) {
        let count = try format.slotCount(of: file)
        for slot in 0..<count {
            let start = format.recordOffset(slot)
            let bytes = file[start..<start + PageRecord.byteCount]
            let record = try PageRecord(UnsafeRawBufferPointer(rebasing: bytes), slot: slot)
            if let parent = record.parent {
                guard records[parent].isFull, records[parent].ropeFactors == record.ropeFactors
                else { throw .damaged }
            }
            append(record)
        }
    }

    /// The longest stored prefix of `tokens`.
    package func match(_ tokens: [TokenID], _ ropeFactors: RopeFactors) -> [Step] {
        var path: [Step] = []
        var rest = tokens[...]
        while true {
            let steps = children(of: path.last?.slot, ropeFactors).map { slot in
                let common = zip(records[slot].tokens, rest).prefix { $0 == $1 }
                return Step(slot: slot, count: common.count)
            }
            guard let best = steps.max(by: { $0.count < $1.count }), best.count > 0 else {
                return path
            }
            path.append(best)
            rest = rest.dropFirst(best.count)
            guard best.count == KeyValuePool.pagePositions else { return path }
        }
    }

    /// The slots of the first pages of a sequence, as far as they are stored with all their tokens;
    /// `chunks` has the tokens of each page.
    package func slots(
        of chunks: [ArraySlice<TokenID>],
        _ ropeFactors: RopeFactors
    ) -> [Int] {
        var slots: [Int] = []
        for chunk in chunks {
            let known = children(of: slots.last, ropeFactors)
                .first { records[$0].tokens.starts(with: chunk) }
            guard let known else { break }
            slots.append(known)
        }
        return slots
    }

    /// The slot for a new page: that of the partial page that it extends, otherwise a new one at
    /// the end.
    package func newSlot(
        for chunk: ArraySlice<TokenID>,
        after parent: Int?,
        _ ropeFactors: RopeFactors
    ) -> Int {
        let shorter = children(of: parent, ropeFactors)
            .first { !records[$0].isFull && chunk.starts(with: records[$0].tokens) }
        return shorter ?? records.count
    }

    /// Records the new content of a slot: a new page, or one that extends its page.
    package mutating func put(_ record: PageRecord, in slot: Int) {
        if slot == records.count {
            append(record)
        } else {
            precondition(records[slot].parent == record.parent, "a page that follows another one")
            records[slot] = record
        }
    }

    private mutating func append(_ record: PageRecord) {
        followers[record.parent, default: []].append(records.count)
        records.append(record)
    }

    private func children(of parent: Int?, _ ropeFactors: RopeFactors) -> [Int] {
        (followers[parent] ?? []).filter { records[$0].ropeFactors == ropeFactors }
    }
}
