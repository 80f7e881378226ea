// Writes an engine's KV cache pages to disk in the background.
//
// Each finished answer offers its sequence. The store says which page it lacks first, borrows a few
// pages at a time, and has written them when it requests the next one. So pages are on disk soon
// after the end of an answer, evicting them from memory loses nothing, and no request waits for the
// disk. Pages that are evicted before their turn are not stored.

import Checkpoints
import PhiModel

/// An engine's interface to a `PageStore`. Not Sendable: it lives on the engine's thread.
struct PageWriter {
    private struct Offer {
        /// The position in the sequence's pages.
        var walk: PrefixCache.Walk
        /// The page requested last.
        var wanted = -1
        /// Whether no more of its pages may be stored.
        var isRemoved = false

        var tokens: [TokenID] { walk.tokens }
        var scope: PrefixCache.Scope { walk.scope }
    }

    /// Maximum pages borrowed by the store at the same time. The engine's memory includes them.
    static let borrowedPagesMax = 4
    /// Maximum waiting sequences; beyond it the oldest is dropped.
    private static let offersMax = 1024

    let store: PageStore
    let format: PageFormat
    private let reply: @Sendable (_ wanted: Int?) -> Void
    private var offers: [Offer] = []
    /// The current sequence, for which a reply is pending.
    private var current: Offer?
    private var borrowed: [KeyValuePage] = []
    private var isEnding = false

    /// - Parameters:
    ///   - store: the store.
    ///   - format: the format of the engine's model.
    ///   - reply: passes the store's reply to the engine's thread, which calls `continueWriting`.
    init(
        _ store: PageStore,
        _ format: PageFormat,
        reply: @escaping @Sendable (_ wanted: Int?) -> Void
    ) {
        self.store = store
        self.format = format
        self.reply = reply
    }

    /// Whether no more pages can be written.
    var isDone: Bool { current == nil }

    /// Queues a sequence for writing.
    mutating func offer(_ tokens: [TokenID], in scope: PrefixCache.Scope) {
        // A sequence that extends an earlier offer replaces it.
        offers.removeAll { $0.scope == scope && tokens.starts(with: $0.tokens) }
        if offers.count == Self.offersMax { offers.removeFirst() }
        offers.append(Offer(walk: PrefixCache.Walk(along: tokens, in: scope)))
        beginNext()
    }

    /// Continues after a reply of the store.
    /// - Parameters:
    ///   - wanted: the page of the current sequence that it needs next.
    ///   - prefixes: the cache with the pages, unless they were evicted.
    mutating func continueWriting(_ wanted: Int?, with prefixes: PrefixCache) {
        borrowed = []
        guard var offer = current else { return }
        // A sequence that requires earlier pages again is dropped: if files evict each other, it
        // would never end.
        if let wanted, wanted > offer.wanted, !offer.isRemoved, !isEnding {
            offer.wanted = wanted
            borrowed = prefixes.pages(wanted..<wanted + Self.borrowedPagesMax, along: &offer.walk)
            current = offer
            if !borrowed.isEmpty {
                store.keep(
                    borrowed.map(BorrowedPage.init),
                    of: sequence(offer.tokens, in: offer.scope),
                    from: wanted,
                    reply: reply
                )
                return
            }
        }
        current = nil
        beginNext()
    }

    /// Writes no more pages than the borrowed ones, whose reply still calls `continueWriting`.
    mutating func end() {
        offers = []
        isEnding = true
    }

    /// Stores no more pages of these scopes, and removes stored ones, including those being
    /// written.
    mutating func forget(_ scopes: [String]) {
        offers.removeAll { scopes.contains($0.scope.name) }
        if let name = current?.scope.name, scopes.contains(name) { current?.isRemoved = true }
        store.remove(scopes)
    }

    /// The sequence for the store.
    func sequence(_ tokens: [TokenID], in scope: PrefixCache.Scope) -> PageSequence {
        PageSequence(
            scope: scope.name,
            ropeFactors: scope.ropeFactors,
            tokens: tokens,
            format: format.adapted(by: scope.adapter)
        )
    }

    private mutating func beginNext() {
        guard current == nil, !offers.isEmpty else { return }
        let offer = offers.removeFirst()
        current = offer
        store.keep([], of: sequence(offer.tokens, in: offer.scope), from: 0, reply: reply)
    }
}
