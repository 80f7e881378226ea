// The memory that an engine has for keys and values: what running sequences take, and what is kept of
// finished ones while nobody needs the room.

import Checkpoints
import PhiModel

/// Not Sendable: it lives on the engine's thread.
struct SequenceMemory {
    /// The pages for all sequences together.
    let pageCount: Int
    private let model: PhiModel
    private let prefixes = PrefixCache()
    /// Made when the first sequence comes: until then an engine takes nothing.
    private var pool: KeyValuePool?

    /// Memory of `mebibytes`, or for one sequence of `contextLength` where that is more.
    init(_ model: PhiModel, mebibytes: Int, contextLength: Int) {
        self.model = model
        let pageByteCount = KeyValuePool.pagePositions * model.cacheByteCountPerPosition
        pageCount = max(
            (mebibytes << 20) / pageByteCount,
            Self.pageCount(tokensMax: contextLength)
        )
    }

    /// The most pages that a sequence takes: one more than hold its tokens, as it copies one when
    /// it goes on within a page that others look at.
    static func pageCount(tokensMax: Int) -> Int {
        KeyValuePool.pageCount(positions: tokensMax) + 1
    }

    /// A cache for a sequence that begins with `tokens`, filled with what is there of them, but for
    /// the last one: its logits have to be computed.
    /// - Throws: `ForwardError.outOfMemory`.
    mutating func makeCache(
        for tokens: [TokenID],
        tokensMax: Int,
        ropeFactors: RopeFactors,
        scope: String?
    ) throws(ForwardError) -> KeyValueCache {
        let pool: KeyValuePool
        if let made = self.pool {
            pool = made
        } else {
            pool = try model.makePool(pageCount: pageCount)
            self.pool = pool
        }
        let cache = model.makeCache(capacity: tokensMax, ropeFactors: ropeFactors, pool: pool)
        if let scope {
            let match = prefixes.match(
                tokens.dropLast(),
                in: .init(name: scope, ropeFactors: ropeFactors)
            )
            cache.share(match.pages, count: match.count, ropeFactors: ropeFactors)
        }
        return cache
    }

    /// Keeps what `cache` has of `tokens`, for later sequences of the scope.
    func keep(_ cache: KeyValueCache, of tokens: [TokenID], scope: String) {
        prefixes.insert(
            tokens.prefix(cache.count),
            cache.filledPages,
            in: .init(name: scope, ropeFactors: cache.ropeFactors)
        )
    }

    /// Makes sure that a pass finds the pages that it takes.
    func makeRoom(for steps: [SequenceStep]) {
        guard let pool else { return }
        let needed = steps.reduce(0) { $0 + $1.cache.pagesNeeded(for: $1.tokens.count) }
        prefixes.makeRoom(for: needed, in: pool)
    }
}
