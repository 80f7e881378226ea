// The memory for KV caches: pages of one size in one mapping.

import Glibc
import PhiKernels

/// A page with the keys and values of some positions, for all layers; its memory returns to the
/// pool when the last cache releases it. Full pages are never modified, so caches can share them.
package final class KeyValuePage {
    let start: UnsafeMutableRawPointer
    private let pool: KeyValuePool

    fileprivate init(start: UnsafeMutableRawPointer, pool: KeyValuePool) {
        self.start = start
        self.pool = pool
    }

    deinit {
        pool.takeBack(start)
    }

    /// The whole memory of the page, including positions that were not written.
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: pool.shape.byteCountPerPage)
    }
}

/// The pages for the KV caches of one model, up to a limit.
///
/// Owned by one thread at a time, that of the session, with all caches and pages; not Sendable.
/// Address space for all pages is reserved at once, and memory is allocated when a page is first
/// written; released pages are reused first.
public final class KeyValuePool {
    /// The dimensions that pages share with their model.
    struct Shape: Equatable {
        let layerCount: Int
        let headCount: Int
        let headSize: Int
        /// float16 or int8, or float32 without rounding.
        let type: phi_float_type

        /// The size of a key or value of one head and position in bytes.
        var vectorByteCount: Int { phi_stored_size(type, headSize) }
        var byteCountPerPosition: Int { 2 * layerCount * headCount * vectorByteCount }
        var byteCountPerPage: Int { byteCountPerPosition * KeyValuePool.pagePositions }
    }

    /// Positions of a page: few enough that a sequence's last page wastes little, and enough for
    /// efficient access to a head's keys in a page.
    package static let pagePositions = 32

    /// The number of pages for this number of positions.
    package static func pageCount(positions: Int) -> Int {
        (positions + pagePositions - 1) / pagePositions
    }

    /// The maximum number of pages in use.
    package let pageCount: Int
    let shape: Shape
    private let memory: UnsafeMutableRawPointer
    private let byteCount: Int
    /// Released pages.
    private var free: [UnsafeMutableRawPointer] = []
    /// The number of pages that were ever allocated; the others were never used.
    private var touchedCount = 0

    /// - Throws: `ForwardError.outOfMemory` if the system refuses the memory.
    init(shape: Shape, pageCount: Int) throws(ForwardError) {
        precondition(pageCount > 0, "a pool has at least one page")
        self.shape = shape
        self.pageCount = pageCount
        let (byteCount, overflow) =
            shape.byteCountPerPage.multipliedReportingOverflow(by: pageCount)
        guard !overflow else { throw .outOfMemory(byteCount: .max) }
        self.byteCount = byteCount
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        guard let address = mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0),
            address != MAP_FAILED
        else { throw .outOfMemory(byteCount: byteCount) }
        memory = address
        // Huge pages reduce TLB misses; kernels without them refuse the call, which does no harm.
        madvise(memory, byteCount, MADV_HUGEPAGE)
    }

    deinit {
        munmap(memory, byteCount)
    }

    /// The number of free pages.
    package var freePageCount: Int { pageCount - touchedCount + free.count }

    /// A page with undefined content; nil if all are in use.
    func takePage() -> KeyValuePage? {
        if let start = free.popLast() { return KeyValuePage(start: start, pool: self) }
        guard touchedCount < pageCount else { return nil }
        defer { touchedCount += 1 }
        return KeyValuePage(start: memory + touchedCount * shape.byteCountPerPage, pool: self)
    }

    fileprivate func takeBack(_ start: UnsafeMutableRawPointer) {
        free.append(start)
    }
}
