import Checkpoints
import Inference
import PhiModel
import Testing

@Suite("Page format")
struct PageFormatTests {
    private let page = KeyValuePool.pagePositions
    private let record = PageRecord(
        parent: 2,
        ropeFactors: .long,
        tokens: [5, 320, 0],
        pageChecksum: 0x0123_4567_89AB_CDEF
    )

    private func tokens(_ count: Int, from first: TokenID = 0) -> [TokenID] {
        (0..<count).map { first + TokenID($0) }
    }

    private func read(_ bytes: [UInt8], slot: Int = 3) throws(PageStoreError) -> PageRecord {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(PageStoreError) in try PageRecord(bytes, slot: slot) }
        }
        return try result.get()
    }

    @Test("encoding and parsing a record preserves it", arguments: RopeFactors.allCases)
    func roundTrip(factors: RopeFactors) throws {
        var record = record
        record.ropeFactors = factors
        #expect(try read(record.bytes) == record)
        record.parent = nil
        record.tokens = tokens(page)
        #expect(try read(record.bytes, slot: 0) == record)
    }

    @Test("a record with a flipped bit, or truncated, is refused")
    func damage() {
        for index in record.bytes.indices {
            for bit in 0..<8 {
                var bytes = record.bytes
                bytes[index] ^= 1 << UInt8(bit)
                #expect(throws: PageStoreError.damaged) { try read(bytes) }
            }
        }
        for count in record.bytes.indices {
            #expect(throws: PageStoreError.damaged) { try read(Array(record.bytes.prefix(count))) }
        }
    }

    @Test("a page must come after its parent")
    func order() throws {
        #expect(try read(record.bytes, slot: 3).parent == 2)
        #expect(throws: PageStoreError.damaged) { try read(record.bytes, slot: 2) }
        var circle = record
        circle.parent = 7
        #expect(throws: PageStoreError.damaged) { try read(circle.bytes, slot: 7) }
    }

    /// A tree of these pages, each with parent and tokens.
    private func tree(_ pages: [(parent: Int?, tokens: [TokenID])]) -> PageTree {
        var tree = PageTree()
        for (slot, page) in pages.enumerated() {
            let record = PageRecord(
                parent: page.parent,
                ropeFactors: .plain,
                tokens: page.tokens,
                pageChecksum: 0
            )
            tree.put(record, in: slot)
        }
        return tree
    }

    @Test("the longest stored prefix is found, to the token, with branches")
    func match() {
        let trunk = tokens(page)
        let tree = tree([(nil, trunk), (0, [1, 2, 3]), (0, [1, 2, 9, 9]), (nil, [7])])
        func counts(_ tokens: [TokenID]) -> [Int] { tree.match(tokens, .plain).map(\.count) }
        #expect(counts(trunk + [1, 2, 3, 4]) == [page, 3])
        #expect(counts(trunk + [1, 2, 9, 9, 9]) == [page, 4])
        #expect(counts(trunk + [8]) == [page])
        #expect(counts(Array(trunk.prefix(5)) + [8]) == [5])
        #expect(counts([7, 8]) == [1])
        #expect(counts([8]).isEmpty)
        #expect(counts([]).isEmpty)
        #expect(tree.match(trunk, .long).isEmpty)
    }

    @Test("a page that extends another one replaces it, and a branch gets a new slot")
    func places() {
        let trunk = tokens(page)[...]
        let tree = tree([(nil, Array(trunk)), (0, [1, 2])])
        #expect(tree.slots(of: [trunk, [1, 2]], .plain) == [0, 1])
        #expect(tree.slots(of: [trunk, [1]], .plain) == [0, 1])
        #expect(tree.slots(of: [trunk, [1, 2, 3]], .plain) == [0])
        #expect(tree.slots(of: [trunk, [1, 2]], .short).isEmpty)
        #expect(tree.newSlot(for: [1, 2, 3], after: 0, .plain) == 1)
        #expect(tree.newSlot(for: [1, 3], after: 0, .plain) == 2)
        #expect(tree.newSlot(for: trunk, after: 0, .plain) == 2)
    }
}
