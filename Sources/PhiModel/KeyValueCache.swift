// The keys and values of one sequence, for all layers: what a model remembers of the tokens before.

import Glibc

/// A sequence's keys and values, float32.
///
/// Owned by one thread at a time, the one that runs the session; not Sendable. Its memory is
/// reserved at once and taken from the system page by page, as positions are filled.
public final class KeyValueCache {
    /// The dimensions that a cache shares with its model.
    struct Shape: Equatable {
        let layerCount: Int
        let headCount: Int
        let headSize: Int
    }

    /// The number of positions that fit.
    public let capacity: Int
    /// The number of positions that are filled.
    public private(set) var count = 0
    /// How its keys are rotated.
    public let ropeFactors: RopeFactors

    let shape: Shape
    /// [2 * layers, heads, capacity, headSize]: a layer's keys, then its values. A head's keys lie
    /// together, since attention reads them head by head.
    private let memory: UnsafeMutablePointer<Float>
    private let byteCount: Int

    /// An empty cache.
    /// - Throws: `ForwardError.outOfMemory` where the system refuses the memory.
    init(
        shape: Shape,
        capacity: Int,
        ropeFactors: RopeFactors
    ) throws(ForwardError) {
        precondition(capacity > 0, "a cache holds at least one position")
        self.shape = shape
        self.capacity = capacity
        self.ropeFactors = ropeFactors
        byteCount = Self.byteCountPerPosition(shape) * capacity
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        guard let address = mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0),
            address != MAP_FAILED
        else { throw .outOfMemory(byteCount: byteCount) }
        memory = address.assumingMemoryBound(to: Float.self)
    }

    deinit {
        munmap(memory, byteCount)
    }

    static func byteCountPerPosition(_ shape: Shape) -> Int {
        2 * shape.layerCount * shape.headCount * shape.headSize * MemoryLayout<Float>.size
    }

    /// Forgets all positions from `count` on, to continue from an earlier point.
    public func truncate(to count: Int) {
        precondition((0...self.count).contains(count), "a cache can only be shortened")
        self.count = count
    }

    /// Replaces the content by the first `count` positions of `other`, a cache of the same model
    /// with the same factor set.
    public func copyPrefix(of other: KeyValueCache, count: Int) {
        precondition(
            other.shape == shape && other.ropeFactors == ropeFactors,
            "caches differ in kind"
        )
        precondition(count <= other.count && count <= capacity, "not that many positions")
        for head in 0..<2 * shape.layerCount * shape.headCount {
            (memory + head * capacity * shape.headSize).update(
                from: other.memory + head * other.capacity * other.shape.headSize,
                count: count * shape.headSize
            )
        }
        self.count = count
    }

    /// The keys of a layer, [heads, capacity, headSize].
    func keys(layer: Int) -> UnsafeMutablePointer<Float> {
        memory + 2 * layer * layerStride
    }

    /// The values of a layer, [heads, capacity, headSize].
    func values(layer: Int) -> UnsafeMutablePointer<Float> {
        memory + (2 * layer + 1) * layerStride
    }

    /// Writes one position's keys and values of one layer, [heads, headSize] each.
    func store(
        layer: Int,
        position: Int,
        keys: UnsafePointer<Float>,
        values: UnsafePointer<Float>
    ) {
        for head in 0..<shape.headCount {
            let target = (head * capacity + position) * shape.headSize
            let source = head * shape.headSize
            (self.keys(layer: layer) + target).update(from: keys + source, count: shape.headSize)
            (self.values(layer: layer) + target)
                .update(from: values + source, count: shape.headSize)
        }
    }

    /// Counts `count` more positions as filled.
    func advance(by count: Int) {
        self.count += count
    }

    private var layerStride: Int { shape.headCount * capacity * shape.headSize }
}
