// The buffers of a pass. Reserved once for the largest pass; the system gives the pages when they
// are first written to.

/// A fixed array of floats, not initialised.
struct FloatBuffer: ~Copyable {
    let start: UnsafeMutablePointer<Float>
    let count: Int

    init(count: Int) {
        self.count = count
        start = .allocate(capacity: max(count, 1))
    }

    deinit {
        start.deallocate()
    }

    /// Makes room for `count` numbers; what was there is lost. Doubles, so that growing by one
    /// position a pass seldom allocates.
    mutating func reserve(_ count: Int) {
        if count > self.count { self = FloatBuffer(count: max(count, 2 * self.count)) }
    }
}

/// Buffers for N rows, N being the session's most tokens of a pass; shapes are row-major.
struct Scratch: ~Copyable {
    /// [N, H] the residual stream
    let hidden: FloatBuffer
    /// [N, H] its normed copy; later what a product adds to it
    let normed: FloatBuffer
    /// [N, Q + 2K] queries, keys, values
    let queryKeyValue: FloatBuffer
    /// [N, Q] what attention gives
    let attended: FloatBuffer
    /// [N, 2I] gate and up
    let gateUp: FloatBuffer
    /// [N, I] silu(gate) * up
    let gated: FloatBuffer
    /// [N, groups] sums of the groups of a product's input
    let groupSums: FloatBuffer
    /// [N, rotaryPairs] each
    let cosines: FloatBuffer
    let sines: FloatBuffer
    /// [threads, positions] attention scores; grows with the caches
    var scores = FloatBuffer(count: 0)
    /// [rows, V]; grows with the logits wanted at once
    var logits = FloatBuffer(count: 0)

    init(_ sizes: Dimensions, rowCount: Int) {
        let widest = max(sizes.hidden, sizes.queryWidth, sizes.middle)
        let groupSizeMin = 32
        hidden = FloatBuffer(count: rowCount * sizes.hidden)
        normed = FloatBuffer(count: rowCount * sizes.hidden)
        queryKeyValue = FloatBuffer(count: rowCount * sizes.queryKeyValueWidth)
        attended = FloatBuffer(count: rowCount * sizes.queryWidth)
        gateUp = FloatBuffer(count: rowCount * 2 * sizes.middle)
        gated = FloatBuffer(count: rowCount * sizes.middle)
        groupSums = FloatBuffer(count: rowCount * (widest / groupSizeMin + 1))
        cosines = FloatBuffer(count: rowCount * sizes.rotaryPairs)
        sines = FloatBuffer(count: rowCount * sizes.rotaryPairs)
    }
}
