// Pages on their way from the disk back into memory.

package import Checkpoints
package import PhiModel

/// What the disk had of a sequence, as far as it was copied: a few pages at a time, so that others need not
/// wait for all of them. Not Sendable: it lives on the engine's thread.
package struct PageRestoration {
    private let kept: KeptPages
    /// The sequence's first pages: what memory had, and then what was copied. They stay while this does.
    package private(set) var pages: [KeyValuePage]
    /// Whether there was no room for the next page.
    private var isCutOff = false

    /// Nothing is copied yet.
    /// - Parameters:
    ///   - kept: what the disk had.
    ///   - known: the sequence's first pages, those at least that `kept` leaves out.
    package init(_ kept: KeptPages, after known: [KeyValuePage]) {
        precondition(kept.firstPage <= known.count, "pages that follow each other")
        self.kept = kept
        pages = known
    }

    /// How many pages are to be copied.
    package var leftCount: Int { max(0, kept.endPage - pages.count) }

    /// Whether all has come that comes.
    package var isComplete: Bool { isCutOff || leftCount == 0 }

    /// The tokens that `pages` were read from.
    package var tokens: ArraySlice<TokenID> {
        kept.sequence.tokens.prefix(pages.count * KeyValuePool.pagePositions)
    }

    /// Copies up to `limit` pages, until `pool` has no room.
    /// - Returns: how many.
    package mutating func copy(_ limit: Int, into pool: KeyValuePool) -> Int {
        let goal = pages.count + min(limit, leftCount)
        let before = pages.count
        while pages.count < goal {
            guard let page = kept.makePage(pages.count, in: pool) else {
                isCutOff = true
                break
            }
            pages.append(page)
        }
        return pages.count - before
    }
}
