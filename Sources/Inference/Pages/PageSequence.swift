// What the engine and the disk tell each other.

package import Checkpoints
package import PhiModel

/// A sequence of tokens whose pages are kept, or looked for.
package struct PageSequence: Sendable, Hashable {
    /// Whose it is: the name of its file.
    package var scope: String
    /// How its keys are rotated.
    package var ropeFactors: RopeFactors
    package var tokens: [TokenID]
    /// How the file looks.
    package var format: PageFormat

    /// A sequence.
    package init(
        scope: String,
        ropeFactors: RopeFactors,
        tokens: [TokenID],
        format: PageFormat
    ) {
        self.scope = scope
        self.ropeFactors = ropeFactors
        self.tokens = tokens
        self.format = format
    }

    /// How many pages it fills, the last one perhaps in part.
    var pageCount: Int { KeyValuePool.pageCount(positions: tokens.count) }

    /// The tokens of a page.
    func chunk(_ page: Int) -> ArraySlice<TokenID> {
        tokens[(page * KeyValuePool.pagePositions)...].prefix(KeyValuePool.pagePositions)
    }

    /// The tokens of each page.
    var chunks: [ArraySlice<TokenID>] { (0..<pageCount).map { chunk($0) } }
}

/// A page's memory, as it is lent to the disk's thread.
///
/// Safety: whoever lends it keeps the page until the thread has replied, and what a page in the tree
/// has is never written to again.
package struct LentPage: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    /// Lends the memory of `page`.
    package init(_ page: KeyValuePage) {
        bytes = page.bytes
    }
}

/// Pages that the disk had of a sequence, where they lie in the mapped file.
///
/// Safety: the bytes are constant while this object lives. Full pages of a file never change; one that
/// is not full may, so it was copied.
package final class KeptPages: @unchecked Sendable {
    /// What was looked for, as far as it was found.
    package let sequence: PageSequence
    /// Which of the sequence's pages is the first one here.
    package let firstPage: Int
    private let file: MappedFile
    private let pages: [UnsafeRawBufferPointer]
    private let copy: UnsafeMutableRawBufferPointer?

    /// Pages that lie in `file`, the last one in `copy` where that is not nil.
    init(
        _ sequence: PageSequence,
        firstPage: Int,
        pages: [UnsafeRawBufferPointer],
        copy: UnsafeMutableRawBufferPointer?,
        file: MappedFile
    ) {
        self.sequence = sequence
        self.firstPage = firstPage
        self.pages = pages
        self.copy = copy
        self.file = file
    }

    deinit {
        copy?.deallocate()
    }

    /// Which of the sequence's pages would follow.
    package var endPage: Int { firstPage + pages.count }

    /// Copies the sequence's page `index`, one of these, into a pool; nil where that has no room.
    package func makePage(_ index: Int, in pool: KeyValuePool) -> KeyValuePage? {
        defer { extendLifetime(self) }
        return pool.makePage(copying: pages[index - firstPage])
    }
}
