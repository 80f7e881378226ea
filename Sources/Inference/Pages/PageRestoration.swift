// Restoring of stored pages into memory.

package import Checkpoints
package import PhiModel

/// Copies the stored pages of a sequence a few at a time, so that other sequences need not wait for
/// all of them. Not Sendable: it lives on the engine's thread.
package struct PageRestoration {
    private let stored: StoredPages
    /// The first pages of the sequence: those in memory, followed by copied ones. Retained for the
    /// lifetime of this value.
    package private(set) var pages: [KeyValuePage]
    /// Whether the pool was full.
    private var isCutOff = false

    /// Creates a restoration without copying.
    /// - Parameters:
    ///   - stored: the pages on disk.
    ///   - known: the first pages of the sequence, at least those that `stored` omits.
    package init(_ stored: StoredPages, after known: [KeyValuePage]) {
        precondition(stored.firstPage <= known.count, "pages that follow each other")
        self.stored = stored
        pages = known
    }

    /// The number of pages left to copy.
    package var leftCount: Int { max(0, stored.endPage - pages.count) }

    /// Whether nothing more will be copied.
    package var isComplete: Bool { isCutOff || leftCount == 0 }

    /// The tokens of `pages`.
    package var tokens: ArraySlice<TokenID> {
        stored.sequence.tokens.prefix(pages.count * KeyValuePool.pagePositions)
    }

    /// Copies up to `limit` pages, until `pool` is full.
    /// - Returns: the number of copied pages.
    package mutating func copy(_ limit: Int, into pool: KeyValuePool) -> Int {
        let goal = pages.count + min(limit, leftCount)
        let before = pages.count
        while pages.count < goal {
            guard let page = stored.makePage(pages.count, in: pool) else {
                isCutOff = true
                break
            }
            pages.append(page)
        }
        return pages.count - before
    }
}
