// The layout of pages, for storing them outside of a pool.

import Glibc

/// The layout of keys and values in the bytes of a page.
package struct PageLayout: Sendable, Hashable {
    /// The size of a page in bytes.
    package let byteCount: Int
    /// The size of a head's key, or value, at a position; those of one head are contiguous.
    private let positionByteCount: Int

    init(_ shape: KeyValuePool.Shape) {
        byteCount = shape.byteCountPerPage
        positionByteCount = shape.vectorByteCount
    }

    /// Clears all positions from `count` on, since memory of a pool may contain data of other
    /// sequences.
    package func clear(_ page: UnsafeMutableRawBufferPointer, from count: Int) {
        precondition(page.count == byteCount, "a page of another model")
        guard let start = page.baseAddress else { return }
        let headByteCount = positionByteCount * KeyValuePool.pagePositions
        let filledByteCount = positionByteCount * count
        for head in stride(from: 0, to: byteCount, by: headByteCount) {
            memset(start + head + filledByteCount, 0, headByteCount - filledByteCount)
        }
    }
}

extension KeyValuePool {
    /// A page with a copy of `bytes`, which come from a page of the same model; nil if all are in
    /// use.
    package func makePage(copying bytes: UnsafeRawBufferPointer) -> KeyValuePage? {
        precondition(bytes.count == shape.byteCountPerPage, "a page of another model")
        guard let source = bytes.baseAddress, let page = takePage() else { return nil }
        page.start.copyMemory(from: source, byteCount: bytes.count)
        return page
    }
}
