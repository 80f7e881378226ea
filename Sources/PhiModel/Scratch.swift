// The buffers of a pass. Reserved once for the largest pass; the system allocates pages when they
// are first written.

import PhiKernels

/// A fixed, uninitialized array of numbers, aligned to a cache line.
struct Buffer<Number: BitwiseCopyable>: ~Copyable {
    let start: UnsafeMutablePointer<Number>
    let count: Int

    init(count: Int) {
        self.count = count
        start = UnsafeMutableRawPointer.allocate(
            byteCount: max(count, 1) * MemoryLayout<Number>.stride,
            alignment: 64
        ).bindMemory(to: Number.self, capacity: max(count, 1))
    }

    deinit {
        UnsafeMutableRawPointer(start).deallocate()
    }

    var byteCount: Int { count * MemoryLayout<Number>.stride }

    /// Ensures capacity for `count` numbers; the content is lost. Doubles, so that growing by one
    /// position a pass seldom allocates.
    mutating func reserve(_ count: Int) {
        if count > self.count { self = Buffer(count: max(count, 2 * self.count)) }
    }
}

/// Buffers for N rows, where N is the session's maximum tokens of a pass; shapes are row-major.
struct Scratch: ~Copyable {
    /// [N, H] the residual stream
    let hidden: Buffer<Float>
    /// [N, H] its normed copy; later what a product adds to it
    let normed: Buffer<Float>
    /// [N, Q + 2K] queries, keys, values
    let queryKeyValue: Buffer<Float>
    /// [N, Q] the output of attention
    let attended: Buffer<Float>
    /// [N, I or 2I] the MLP's first product, with gates or without
    let expanded: Buffer<Float>
    /// [N, I] its activation
    let activated: Buffer<Float>
    /// for experts, if the model has them
    let experts: ExpertScratch
    /// [N, groups] sums of the groups of a product's input
    let groupSums: Buffer<Float>
    /// [N, columns] a product's input, rounded to int8
    let codes: Buffer<Int8>
    /// the same in the order in which products with many rows read them, with scales and sums
    let packed: Buffer<UInt8>
    /// [N, groups] the scales of the codes
    let codeScales: Buffer<Float>
    /// [N, rotaryPairs] each
    let cosines: Buffer<Float>
    let sines: Buffer<Float>
    /// [threads, scores] of attention; grows with the caches
    var scores = Buffer<Float>(count: 0)
    /// [rows, rank] what adapters make of a product's input; grows with the adapters
    var lowRank = Buffer<Float>(count: 0)
    /// [rows, V]; grows with the number of requested logits
    var logits = Buffer<Float>(count: 0)

    init(_ sizes: Dimensions, rowCount: Int) {
        let widest = max(sizes.hidden, sizes.queryWidth, sizes.middle)
        let groupSizeMin = 16
        hidden = Buffer(count: rowCount * sizes.hidden)
        normed = Buffer(count: rowCount * sizes.hidden)
        queryKeyValue = Buffer(count: rowCount * sizes.queryKeyValueWidth)
        attended = Buffer(count: rowCount * sizes.queryWidth)
        expanded = Buffer(count: rowCount * sizes.expandedWidth)
        activated = Buffer(count: rowCount * sizes.middle)
        experts = ExpertScratch(sizes, rowCount: sizes.expertCount > 0 ? rowCount : 0)
        groupSums = Buffer(count: rowCount * (widest / groupSizeMin + 1))
        codes = Buffer(count: rowCount * widest)
        // The last panel has full size.
        let packedRowCount = rowCount + Int(PHI_PANEL_ROWS_MAX) - 1
        packed = Buffer(count: packedRowCount * (widest + 8 * (widest / groupSizeMin + 1)))
        codeScales = Buffer(count: rowCount * (widest / groupSizeMin + 1))
        cosines = Buffer(count: rowCount * sizes.rotaryPairs)
        sines = Buffer(count: rowCount * sizes.rotaryPairs)
    }

    /// The size of all buffers in bytes.
    var byteCount: Int {
        hidden.byteCount + normed.byteCount + queryKeyValue.byteCount + attended.byteCount
            + expanded.byteCount + activated.byteCount + experts.byteCount + groupSums.byteCount
            + codes.byteCount
            + packed.byteCount + codeScales.byteCount + cosines.byteCount + sines.byteCount
            + scores.byteCount + lowRank.byteCount
            + logits.byteCount
    }
}
