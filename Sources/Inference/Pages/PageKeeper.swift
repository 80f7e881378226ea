// Brings what an engine has read to the disk while the engine goes on.
//
// Each finished answer offers its sequence. The store says from which page on it lacks it, and gets a few
// pages at a time; it has them as soon as it says what it wants next. So pages are on the disk soon after
// an answer's end, giving them up in memory costs nothing, and nobody waits for the disk: what memory had
// to give up before its turn came is read again one day.

import Checkpoints
import PhiModel

/// An engine's side of a `PageStore`. Not Sendable: it lives on the engine's thread.
struct PageKeeper {
    private struct Offer {
        /// From page to page, as they are asked for.
        var walk: PrefixCache.Walk
        /// The page that was asked for last.
        var wanted = -1
        /// Whether nothing more of it is to be kept.
        var isForgotten = false

        var tokens: [TokenID] { walk.tokens }
        var scope: PrefixCache.Scope { walk.scope }
    }

    /// Pages that are lent to the store at the same time. The engine's memory counts with them.
    static let lentPagesMax = 4
    /// Sequences that wait for their turn; of more, those are dropped that have waited longest.
    private static let offersMax = 1024

    let store: PageStore
    let format: PageFormat
    private let reply: @Sendable (_ wanted: Int?) -> Void
    private var offers: [Offer] = []
    /// Whose turn it is: there is one reply to come.
    private var current: Offer?
    private var lent: [KeyValuePage] = []
    private var isEnding = false

    /// - Parameters:
    ///   - store: where pages are kept.
    ///   - format: of the engine's model.
    ///   - reply: brings what the store says to the engine's thread, and there to `goOn`.
    init(
        _ store: PageStore,
        _ format: PageFormat,
        reply: @escaping @Sendable (_ wanted: Int?) -> Void
    ) {
        self.store = store
        self.format = format
        self.reply = reply
    }

    /// Whether everything is on the disk that could be brought there.
    var isDone: Bool { current == nil }

    /// Keeps a sequence, when its turn comes.
    mutating func offer(_ tokens: [TokenID], in scope: PrefixCache.Scope) {
        // What goes on from an earlier offer has all of it.
        offers.removeAll { $0.scope == scope && tokens.starts(with: $0.tokens) }
        if offers.count == Self.offersMax { offers.removeFirst() }
        offers.append(Offer(walk: PrefixCache.Walk(along: tokens, in: scope)))
        beginNext()
    }

    /// Goes on after the store has replied.
    /// - Parameters:
    ///   - wanted: which page of the current sequence it wants next.
    ///   - prefixes: has the pages, as far as they were not given up.
    mutating func goOn(_ wanted: Int?, with prefixes: PrefixCache) {
        lent = []
        guard var offer = current else { return }
        // One that falls back is given up: where files push each other out, it would never end.
        if let wanted, wanted > offer.wanted, !offer.isForgotten, !isEnding {
            offer.wanted = wanted
            lent = prefixes.pages(wanted..<wanted + Self.lentPagesMax, along: &offer.walk)
            current = offer
            if !lent.isEmpty {
                store.keep(
                    lent.map(LentPage.init),
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

    /// Keeps no more than what is lent already, which comes back by `goOn`.
    mutating func end() {
        offers = []
        isEnding = true
    }

    /// Keeps nothing of these scopes that is not being written, and removes what is kept of them,
    /// that included.
    mutating func forget(_ scopes: [String]) {
        offers.removeAll { scopes.contains($0.scope.name) }
        if let name = current?.scope.name, scopes.contains(name) { current?.isForgotten = true }
        store.remove(scopes)
    }

    /// What the store is asked.
    func sequence(_ tokens: [TokenID], in scope: PrefixCache.Scope) -> PageSequence {
        PageSequence(
            scope: scope.name,
            ropeFactors: scope.ropeFactors,
            tokens: tokens,
            format: format
        )
    }

    private mutating func beginNext() {
        guard current == nil, !offers.isEmpty else { return }
        let offer = offers.removeFirst()
        current = offer
        store.keep([], of: sequence(offer.tokens, in: offer.scope), from: 0, reply: reply)
    }
}
