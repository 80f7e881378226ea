// The memory that an engine has for keys and values: what running sequences take, and what is kept of
// finished ones while nobody needs the room, and on the disk beyond that.

import Checkpoints
import PhiModel

/// Not Sendable: it lives on the engine's thread.
struct SequenceMemory {
    /// The pages for all sequences together.
    let pageCount: Int
    private let model: PhiModel
    private let prefixes = PrefixCache()
    /// Brings what is kept to the disk; nil where nothing goes there.
    private var keeper: PageKeeper?
    /// Made when the first sequence comes: until then an engine takes nothing.
    private var pool: KeyValuePool?

    /// Memory of `mebibytes`, or for one sequence of `contextLength` where that is more.
    init(_ model: PhiModel, mebibytes: Int, contextLength: Int, keeper: PageKeeper?) {
        self.model = model
        self.keeper = keeper
        let pageByteCount = KeyValuePool.pagePositions * model.cacheByteCountPerPosition
        pageCount = max(
            (mebibytes << 20) / pageByteCount - Self.lentPageCount(keeper),
            Self.pageCount(tokensMax: contextLength)
        )
    }

    /// Pages that no sequence can have, because the disk may be looking at them.
    private static func lentPageCount(_ keeper: PageKeeper?) -> Int {
        keeper == nil ? 0 : PageKeeper.lentPagesMax
    }

    /// The most pages that a sequence takes: one more than hold its tokens, as it copies one when
    /// it goes on within a page that others look at.
    static func pageCount(tokensMax: Int) -> Int {
        KeyValuePool.pageCount(positions: tokensMax) + 1
    }

    /// A cache for a sequence that begins with `tokens`, filled with what is there of them, but for
    /// the last one: its logits have to be computed.
    /// - Parameters:
    ///   - tokens: what the sequence is given.
    ///   - tokensMax: the most tokens that it may come to have.
    ///   - ropeFactors: how its keys are rotated.
    ///   - scope: whose pages it may use; nil for nobody's.
    /// - Returns: the cache.
    /// - Throws: `ForwardError.outOfMemory`.
    mutating func makeCache(
        for tokens: [TokenID],
        tokensMax: Int,
        ropeFactors: RopeFactors,
        scope: PrefixCache.Scope?
    ) throws(ForwardError) -> KeyValueCache {
        let pool = try madePool()
        let cache = model.makeCache(capacity: tokensMax, ropeFactors: ropeFactors, pool: pool)
        if let scope {
            let match = prefixes.match(tokens.dropLast(), in: scope)
            cache.share(match.pages, count: match.count, ropeFactors: ropeFactors)
        }
        return cache
    }

    /// The pool, which is made when it is first asked for.
    private mutating func madePool() throws(ForwardError) -> KeyValuePool {
        if let pool { return pool }
        let made = try model.makePool(pageCount: pageCount + Self.lentPageCount(keeper))
        pool = made
        return made
    }

    /// Keeps what `cache` has of `tokens`, for later sequences of the scope.
    mutating func keep(
        _ cache: KeyValueCache,
        of tokens: [TokenID],
        in scope: PrefixCache.Scope
    ) {
        let read = tokens.prefix(cache.count)
        guard !read.isEmpty else { return }
        prefixes.insert(
            read,
            cache.filledPages,
            in: scope,
            isWhole: keeper?.store.has(scope.name) != true
        )
        keeper?.offer(Array(read), in: scope)
    }

    /// For whom something is kept in memory.
    var scopes: Set<String> { prefixes.scopes }

    /// Forgets what was read for these scopes.
    mutating func forget(_ scopes: [String]) {
        prefixes.remove(scopes)
        keeper?.forget(scopes)
    }

    /// Makes sure that a pass finds the pages that it takes.
    func makeRoom(for steps: [SequenceStep]) {
        guard let pool else { return }
        let needed = steps.reduce(0) { $0 + $1.cache.pagesNeeded(for: $1.tokens.count) }
        prefixes.makeRoom(for: needed, in: pool)
    }

    /// Lets everybody have the published pages of a sequence that goes on. They are full, so that
    /// it has to copy none of them, and they belong to nobody, so that no scope's end is theirs.
    func sharePublished(
        _ cache: KeyValueCache,
        of tokens: [TokenID],
        in scope: PrefixCache.Scope
    ) {
        prefixes.insert(
            tokens.prefix(scope.publishedPages * KeyValuePool.pagePositions),
            cache.filledPages.prefix(scope.publishedPages),
            in: scope
        )
    }

    // MARK: - The disk

    /// Whether the disk has all that it is to have.
    var isKept: Bool { keeper?.isDone ?? true }

    /// Goes on with what is brought to the disk, after that has replied.
    mutating func goOnKeeping(_ wanted: Int?) {
        let prefixes = prefixes
        keeper?.goOn(wanted, with: prefixes)
    }

    /// Brings nothing more to the disk than what is on its way.
    mutating func endKeeping() {
        keeper?.end()
    }

    /// Asks the disk what it has of a sequence beyond what is here.
    /// - Returns: whether it may have something; only then `reply` is called, on another thread.
    func find(
        _ tokens: [TokenID],
        in scope: PrefixCache.Scope?,
        reply: @escaping @Sendable (KeptPages?) -> Void
    ) -> Bool {
        guard let keeper, let scope, !prefixes.isWhole(scope), keeper.store.has(scope.name) else {
            return false
        }
        let given = tokens.dropLast()
        keeper.store.find(
            keeper.sequence(Array(given), in: scope),
            beyond: prefixes.matchCount(given, in: scope),
            reply: reply
        )
        return true
    }

    /// Begins to copy what the disk had of a sequence into memory.
    /// - Parameters:
    ///   - kept: what the disk had.
    ///   - tokens: the sequence.
    ///   - scope: who asks.
    /// - Returns: the copying to do; nil where memory has as much by now.
    func restoration(
        of kept: KeptPages,
        for tokens: [TokenID],
        in scope: PrefixCache.Scope
    ) -> PageRestoration? {
        let sequence = kept.sequence
        // The request that was looked for may have had this one's number.
        guard sequence.scope == scope.name, sequence.ropeFactors == scope.ropeFactors,
            tokens.starts(with: sequence.tokens)
        else { return nil }
        let known = prefixes.match(tokens.dropLast(), in: scope)
        let knownPages = known.count / KeyValuePool.pagePositions
        // Since the disk was asked, memory may have been filled, or given up what the disk left out.
        guard known.count < sequence.tokens.count, kept.firstPage <= knownPages else { return nil }
        return PageRestoration(kept, after: Array(known.pages.prefix(knownPages)))
    }

    /// Copies up to `limit` more pages of a sequence, whose room is set aside for it.
    /// After the last one, what came is there as if it had been there all the time.
    /// - Returns: how many pages were copied.
    /// - Throws: `ForwardError.outOfMemory` where there is no memory at all.
    mutating func goOn(
        with restoration: inout PageRestoration,
        in scope: PrefixCache.Scope,
        limit: Int
    ) throws(ForwardError) -> Int {
        let pool = try madePool()
        prefixes.makeRoom(for: min(limit, restoration.leftCount), in: pool)
        let count = restoration.copy(limit, into: pool)
        if restoration.isComplete {
            prefixes.insert(restoration.tokens, restoration.pages[...], in: scope, isWhole: false)
        }
        return count
    }
}
