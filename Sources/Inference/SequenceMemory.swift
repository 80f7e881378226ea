// The KV cache memory of an engine: pages of running sequences, cached pages of finished ones while
// there is space, and cached pages on disk.

import Checkpoints
import PhiModel

/// Not Sendable: it lives on the engine's thread.
struct SequenceMemory {
    /// The pages for all sequences together.
    let pageCount: Int
    private let model: PhiModel
    private let prefixes = PrefixCache()
    /// Writes cached pages to disk; nil without a store.
    private var writer: PageWriter?
    /// Created for the first sequence: an idle engine needs no memory.
    private var pool: KeyValuePool?

    /// Creates a memory of `mebibytes`, or for one sequence of `contextLength` if that is more.
    init(_ model: PhiModel, mebibytes: Int, contextLength: Int, writer: PageWriter?) {
        self.model = model
        self.writer = writer
        let pageByteCount = KeyValuePool.pagePositions * model.cacheByteCountPerPosition
        pageCount = max(
            (mebibytes << 20) / pageByteCount - Self.borrowedPageCount(writer),
            Self.pageCount(tokensMax: contextLength)
        )
    }

    /// Additional pages for those that the store may be writing.
    private static func borrowedPageCount(_ writer: PageWriter?) -> Int {
        writer == nil ? 0 : PageWriter.borrowedPagesMax
    }

    /// The maximum number of pages of a sequence: one more than for its tokens, since it copies one
    /// when it continues within a shared page.
    static func pageCount(tokensMax: Int) -> Int {
        KeyValuePool.pageCount(positions: tokensMax) + 1
    }

    /// Creates the cache of a sequence that starts with `tokens`, filled with its cached prefix,
    /// except for the last token, whose logits have to be computed.
    /// - Parameters:
    ///   - tokens: the first tokens of the sequence.
    ///   - tokensMax: the maximum number of tokens.
    ///   - ropeFactors: the factor set of its keys.
    ///   - scope: the scope whose pages it may use; nil for none.
    /// - Returns: the cache.
    /// - Throws: an `EngineError` if the system refuses the memory.
    mutating func makeCache(
        for tokens: [TokenID],
        tokensMax: Int,
        ropeFactors: RopeFactors,
        scope: PrefixCache.Scope?
    ) throws(EngineError) -> KeyValueCache {
        let pool: KeyValuePool
        do throws(ForwardError) { pool = try madePool() } catch { throw EngineError(error) }
        // Its capacity is for all tokens, since it is created once.
        let cache = model.makeCache(capacity: tokensMax, ropeFactors: ropeFactors, pool: pool)
        if let scope {
            let match = prefixes.match(tokens.dropLast(), in: scope)
            cache.share(match.pages, count: match.count, ropeFactors: ropeFactors)
        }
        return cache
    }

    /// The pool, created on first use.
    private mutating func madePool() throws(ForwardError) -> KeyValuePool {
        if let pool { return pool }
        let made = try model.makePool(pageCount: pageCount + Self.borrowedPageCount(writer))
        pool = made
        return made
    }

    /// Caches the pages of `tokens` in `cache` for later sequences of the scope.
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
            isWhole: writer?.store.has(scope.name) != true
        )
        writer?.offer(Array(read), in: scope)
    }

    /// The scopes with pages in memory.
    var scopes: Set<String> { prefixes.scopes }

    /// Removes the pages of these scopes.
    mutating func forget(_ scopes: [String]) {
        prefixes.remove(scopes)
        writer?.forget(scopes)
    }

    /// Evicts cached pages so that a pass finds the pages that it needs.
    func makeRoom(for steps: [SequenceStep]) {
        guard let pool else { return }
        let needed = steps.reduce(0) { $0 + $1.cache.pagesNeeded(for: $1.tokens.count) }
        prefixes.makeRoom(for: needed, in: pool)
    }

    /// Shares the published pages of a running sequence with all scopes. They are full, so it does
    /// not have to copy any, and they have no owner, so they remain when a scope is removed.
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

    /// Whether all pages have been written to disk.
    var isKept: Bool { writer?.isDone ?? true }

    /// Continues writing after a reply of the store.
    mutating func continueWriting(_ wanted: Int?) {
        let prefixes = prefixes
        writer?.continueWriting(wanted, with: prefixes)
    }

    /// Writes no more pages than those being written.
    mutating func stopWriting() {
        writer?.end()
    }

    /// Asks the store for pages of a sequence beyond those in memory.
    /// - Returns: whether it may have some; only then `reply` is called, on another thread.
    func find(
        _ tokens: [TokenID],
        in scope: PrefixCache.Scope?,
        reply: @escaping @Sendable (StoredPages?) -> Void
    ) -> Bool {
        guard let writer, let scope, !prefixes.isWhole(scope), writer.store.has(scope.name) else {
            return false
        }
        let given = tokens.dropLast()
        writer.store.find(
            writer.sequence(Array(given), in: scope),
            beyond: prefixes.matchCount(given, in: scope),
            reply: reply
        )
        return true
    }

    /// Prepares copying of a sequence's stored pages into memory.
    /// - Parameters:
    ///   - stored: the pages on disk.
    ///   - tokens: the tokens of the sequence.
    ///   - scope: the scope of the request.
    /// - Returns: the restoration; nil if memory already has as much.
    func restoration(
        of stored: StoredPages,
        for tokens: [TokenID],
        in scope: PrefixCache.Scope
    ) -> PageRestoration? {
        let sequence = stored.sequence
        // The id may have been reused by another request meanwhile.
        guard let writer, sequence == writer.sequence(sequence.tokens, in: scope),
            tokens.starts(with: sequence.tokens)
        else { return nil }
        let known = prefixes.match(tokens.dropLast(), in: scope)
        let knownPages = known.count / KeyValuePool.pagePositions
        // Since the lookup, memory may have been filled, or pages that the store omitted may have
        // been evicted.
        guard known.count < sequence.tokens.count, stored.firstPage <= knownPages else {
            return nil
        }
        return PageRestoration(stored, after: Array(known.pages.prefix(knownPages)))
    }

    /// Copies up to `limit` more pages of a sequence, for which pages are reserved. After the last
    /// one they are in the prefix cache.
    /// - Returns: the number of copied pages.
    /// - Throws: `ForwardError.outOfMemory` if there is no memory at all.
    mutating func restore(
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
