// Pages as bytes, for those who keep them outside of a pool.

import Glibc

/// How the keys and values of a page lie in its bytes.
package struct PageLayout: Sendable, Hashable {
    /// The bytes of a page.
    package let byteCount: Int
    /// What a head's keys, or values, take for a position; those of its positions lie together.
    private let positionByteCount: Int

    init(_ shape: KeyValuePool.Shape) {
        byteCount = shape.byteCountPerPage
        positionByteCount = shape.vectorByteCount
    }

    /// Makes zeros of all positions from `count` on: memory of a pool has been others' before.
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
    /// A page with a copy of `bytes`, which a page of the same model had; nil where all are in use.
    package func makePage(copying bytes: UnsafeRawBufferPointer) -> KeyValuePage? {
        precondition(bytes.count == shape.byteCountPerPage, "a page of another model")
        guard let source = bytes.baseAddress, let page = takePage() else { return nil }
        page.start.copyMemory(from: source, byteCount: bytes.count)
        return page
    }
}
