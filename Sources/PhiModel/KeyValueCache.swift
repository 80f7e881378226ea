// The keys and values of one sequence, for all layers: what a model remembers of the tokens before.

import PhiKernels

/// A sequence's keys and values, in pages of a pool.
///
/// Owned by one thread at a time, the one that runs the session; not Sendable. Pages are taken as
/// positions are filled. Caches with the same beginning can share its pages; one that goes on within
/// a shared page gets a copy of it first.
public final class KeyValueCache {
    /// The number of positions that fit.
    public let capacity: Int
    /// The number of positions that are filled.
    public private(set) var count = 0
    /// How its keys are rotated.
    public let ropeFactors: RopeFactors

    /// Where its pages come from.
    let pool: KeyValuePool
    private var pages: [KeyValuePage] = []
    /// The starts of `pages`, for kernels.
    let pageStarts: UnsafeMutablePointer<UnsafeRawPointer?>

    init(pool: KeyValuePool, capacity: Int, ropeFactors: RopeFactors) {
        precondition(capacity > 0, "a cache holds at least one position")
        self.pool = pool
        self.capacity = capacity
        self.ropeFactors = ropeFactors
        pageStarts = .allocate(capacity: KeyValuePool.pageCount(positions: capacity))
    }

    deinit {
        pageStarts.deallocate()
    }

    // MARK: - Sharing

    /// The pages of the filled positions, for caches that begin the same way.
    package var filledPages: ArraySlice<KeyValuePage> {
        pages.prefix(KeyValuePool.pageCount(positions: count))
    }

    /// Forgets all positions from `count` on, to continue from an earlier point.
    public func truncate(to count: Int) {
        precondition((0...self.count).contains(count), "a cache can only be shortened")
        self.count = count
        pages.removeLast(pages.count - KeyValuePool.pageCount(positions: count))
    }

    /// Replaces the content by the first `count` positions of `pages`, which a cache of the same
    /// pool has filled, with keys rotated by `ropeFactors`.
    package func share(
        _ pages: some Sequence<KeyValuePage>,
        count: Int,
        ropeFactors: RopeFactors
    ) {
        precondition(ropeFactors == self.ropeFactors, "keys of two kinds in one cache")
        precondition(count <= capacity, "not that many positions")
        self.pages = Array(pages.prefix(KeyValuePool.pageCount(positions: count)))
        precondition(
            self.pages.count == KeyValuePool.pageCount(positions: count),
            "too few pages"
        )
        for (index, page) in self.pages.enumerated() {
            pageStarts[index] = UnsafeRawPointer(page.start)
        }
        self.count = count
    }

    // MARK: - Growing

    /// How many pages `reserve` would take.
    package func pagesNeeded(for tokenCount: Int) -> Int {
        let more = KeyValuePool.pageCount(positions: count + tokenCount) - pages.count
        return max(0, more) + (sharesLastPage() ? 1 : 0)
    }

    /// Takes the pages for `tokenCount` more positions.
    /// - Throws: `.outOfMemory` where the pool has too few; nothing has changed then.
    func reserve(_ tokenCount: Int) throws(ForwardError) {
        let needed = pagesNeeded(for: tokenCount)
        guard needed <= pool.freePageCount else {
            throw .outOfMemory(byteCount: needed * pool.shape.byteCountPerPage)
        }
        if sharesLastPage() { copyLastPage() }
        while pages.count < KeyValuePool.pageCount(positions: count + tokenCount) {
            guard let page = pool.takePage() else { return }
            pageStarts[pages.count] = UnsafeRawPointer(page.start)
            pages.append(page)
        }
    }

    /// Whether the next position belongs on a page that others look at.
    private func sharesLastPage() -> Bool {
        guard !count.isMultiple(of: KeyValuePool.pagePositions), !pages.isEmpty else {
            return false
        }
        return !isKnownUniquelyReferenced(&pages[pages.count - 1])
    }

    /// Puts a copy of what is filled of the last page in its place.
    private func copyLastPage() {
        guard let copy = pool.takePage() else { return }
        let last = pages.count - 1
        let shape = pool.shape
        let headByteCount = shape.vectorByteCount * KeyValuePool.pagePositions
        let filledByteCount = count % KeyValuePool.pagePositions * shape.vectorByteCount
        for head in 0..<2 * shape.layerCount * shape.headCount {
            (copy.start + head * headByteCount).copyMemory(
                from: pages[last].start + head * headByteCount,
                byteCount: filledByteCount
            )
        }
        pages[last] = copy
        pageStarts[last] = UnsafeRawPointer(copy.start)
    }

    /// Counts `count` more positions as filled.
    func advance(by count: Int) {
        self.count += count
    }

    // MARK: - The layout of a page

    /// Where a layer's keys begin in a page, in bytes: [heads, pagePositions] vectors. Its values
    /// follow. A head's keys lie together, since attention reads them head by head.
    static func keysOffset(layer: Int, _ shape: KeyValuePool.Shape) -> Int {
        2 * layer * layerByteCount(shape)
    }

    /// See `keysOffset`.
    static func valuesOffset(layer: Int, _ shape: KeyValuePool.Shape) -> Int {
        (2 * layer + 1) * layerByteCount(shape)
    }

    private static func layerByteCount(_ shape: KeyValuePool.Shape) -> Int {
        shape.headCount * shape.vectorByteCount * KeyValuePool.pagePositions
    }

    /// Where a key of a layer's first head goes; those of the other heads follow at a page's
    /// distance.
    func keyStart(layer: Int, position: Int) -> UnsafeMutableRawPointer {
        let page = pages[position / KeyValuePool.pagePositions]
        let index = position % KeyValuePool.pagePositions
        return page.start + Self.keysOffset(layer: layer, pool.shape)
            + index * pool.shape.vectorByteCount
    }
}
