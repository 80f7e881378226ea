// Values exchanged between engine and store.

package import Checkpoints
package import PhiModel

/// A sequence of tokens whose pages are stored or looked up.
package struct PageSequence: Sendable, Hashable {
    /// The scope: the name of its file.
    package var scope: String
    /// The factor set of its keys.
    package var ropeFactors: RopeFactors
    package var tokens: [TokenID]
    /// The format of the file.
    package var format: PageFormat

    /// Creates a sequence.
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

    /// The number of its pages, the last one possibly partial.
    var pageCount: Int { KeyValuePool.pageCount(positions: tokens.count) }

    /// The tokens of a page.
    func chunk(_ page: Int) -> ArraySlice<TokenID> {
        tokens[(page * KeyValuePool.pagePositions)...].prefix(KeyValuePool.pagePositions)
    }

    /// The tokens of each page.
    var chunks: [ArraySlice<TokenID>] { (0..<pageCount).map { chunk($0) } }
}

/// The memory of a page, borrowed by the store's thread.
///
/// Safety: the owner retains the page until the thread has replied, and filled positions of a page
/// in the tree are never modified.
package struct BorrowedPage: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    /// Borrows the memory of `page`.
    package init(_ page: KeyValuePage) {
        bytes = page.bytes
    }
}

/// Stored pages of a sequence, in the mapped file.
///
/// Safety: the bytes are constant for the lifetime of this object. Full pages of a file never
/// change; a partial one may, so it was copied.
package final class StoredPages: @unchecked Sendable {
    /// The part of the sequence that was found.
    package let sequence: PageSequence
    /// The number of the first page.
    package let firstPage: Int
    private let file: MappedFile
    private let pages: [UnsafeRawBufferPointer]
    private let copy: UnsafeMutableRawBufferPointer?

    /// Creates pages in `file`, the last one in `copy` if that is not nil.
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

    /// The number of the page after the last one.
    package var endPage: Int { firstPage + pages.count }

    /// Copies page `index` of the sequence, one of these, into a pool; nil if it is full.
    package func makePage(_ index: Int, in pool: KeyValuePool) -> KeyValuePage? {
        defer { extendLifetime(self) }
        return pool.makePage(copying: pages[index - firstPage])
    }
}
