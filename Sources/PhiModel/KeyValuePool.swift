// The memory for keys and values: pages of one size from one mapping.

import Glibc
import PhiKernels

/// The keys and values of some positions of a sequence, for all layers; their memory goes back to
/// the pool when the last cache lets go of it. What is full is never written to again, so caches
/// share it freely.
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

    /// All of the page's memory, that of positions too that nothing was written to.
    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: start, count: pool.shape.byteCountPerPage)
    }
}

/// Pages for the caches of one model, up to a limit.
///
/// Owned by one thread at a time, the one that runs the session, with all caches and pages; not
/// Sendable. All memory is reserved at once and taken from the system as pages are first written to;
/// pages that came back are given out again first.
public final class KeyValuePool {
    /// The dimensions that pages share with their model.
    struct Shape: Equatable {
        let layerCount: Int
        let headCount: Int
        let headSize: Int
        /// float16 or int8, or float32 where nothing is to be rounded.
        let type: phi_float_type

        /// What a head's key or value of one position takes.
        var vectorByteCount: Int { phi_stored_size(type, headSize) }
        var byteCountPerPosition: Int { 2 * layerCount * headCount * vectorByteCount }
        var byteCountPerPage: Int { byteCountPerPosition * KeyValuePool.pagePositions }
    }

    /// Positions of a page: few enough that a sequence's last page wastes little, and enough that a
    /// head's keys in a page are worth a walk through memory.
    package static let pagePositions = 32

    /// How many pages hold so many positions.
    package static func pageCount(positions: Int) -> Int {
        (positions + pagePositions - 1) / pagePositions
    }

    /// The most pages that can be in use.
    package let pageCount: Int
    let shape: Shape
    private let memory: UnsafeMutableRawPointer
    private let byteCount: Int
    /// Pages that came back.
    private var free: [UnsafeMutableRawPointer] = []
    /// Pages that were never given out lie behind this many.
    private var touchedCount = 0

    /// - Throws: `ForwardError.outOfMemory` where the system refuses the memory.
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
        // Fewer and larger steps for the processor's address translation; a kernel without them
        // says no, and all is as before.
        madvise(memory, byteCount, MADV_HUGEPAGE)
    }

    deinit {
        munmap(memory, byteCount)
    }

    /// Pages that can be taken.
    package var freePageCount: Int { pageCount - touchedCount + free.count }

    /// A page of whatever content; nil where all are in use.
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
