// The KV cache of a sequence: keys and values of its tokens, for all layers.

import PhiKernels

/// The KV cache of a sequence, in pages of a pool.
///
/// Owned by one thread at a time, that of the session; not Sendable. Pages are allocated as
/// positions are filled. Caches with a common prefix can share its pages; a cache that continues
/// within a shared page copies it first.
public final class KeyValueCache {
    /// The maximum number of positions.
    public let capacity: Int
    /// The number of positions that are filled.
    public private(set) var count = 0
    /// The rotation of its keys.
    public let ropeFactors: RopeFactors

    /// The pool of its pages.
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

    /// Removes all positions from `count` on, to continue from an earlier point.
    public func truncate(to count: Int) {
        precondition((0...self.count).contains(count), "a cache can only be shortened")
        self.count = count
        pages.removeLast(pages.count - KeyValuePool.pageCount(positions: count))
    }

    /// Replaces the content by the first `count` positions of `pages`, which another cache of the
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

    /// The number of pages that `reserve` would allocate.
    package func pagesNeeded(for tokenCount: Int) -> Int {
        let more = KeyValuePool.pageCount(positions: count + tokenCount) - pages.count
        return max(0, more) + (sharesLastPage() ? 1 : 0)
    }

    /// Allocates the pages for `tokenCount` more positions.
    /// - Throws: `.outOfMemory` if the pool has too few; then nothing has changed.
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

    /// Whether the next position is on a shared page.
    private func sharesLastPage() -> Bool {
        guard !count.isMultiple(of: KeyValuePool.pagePositions), !pages.isEmpty else {
            return false
        }
        return !isKnownUniquelyReferenced(&pages[pages.count - 1])
    }

    /// Replaces the last page by a copy of its filled part.
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

    /// Adds `count` to the number of filled positions.
    func advance(by count: Int) {
        self.count += count
    }

    // MARK: - The layout of a page

    /// The offset of a layer's keys in a page, in bytes: [heads, pagePositions] vectors. Its values
    /// follow. The keys of a head are contiguous, since attention reads them head by head.
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

    /// The address of the first head's key at a position; those of the other heads follow at the
    /// distance of pagePositions vectors.
    func keyStart(layer: Int, position: Int) -> UnsafeMutableRawPointer {
        let page = pages[position / KeyValuePool.pagePositions]
        let index = position % KeyValuePool.pagePositions
        return page.start + Self.keysOffset(layer: layer, pool.shape)
            + index * pool.shape.vectorByteCount
    }
}
