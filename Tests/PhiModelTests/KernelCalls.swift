// The kernels as functions on arrays.

import Glibc
import PhiKernels

/// exp(x).
func exponential(_ x: Double) -> Double { exp(x) }

func norm(_ kernels: phi_kernels, _ input: [Float], _ weight: [Float]) -> [Float] {
    var output = [Float](repeating: .nan, count: input.count)
    kernels.rms_norm(input, weight, input.count, 1e-5, &output)
    return output
}

/// LayerNorm, with `weight` reversed as the bias.
func layerNorm(_ kernels: phi_kernels, _ input: [Float], _ weight: [Float]) -> [Float] {
    var output = [Float](repeating: .nan, count: input.count)
    withUnsafePointer(to: kernels) { kernels in
        phi_layer_norm(kernels, input, weight, weight.reversed(), input.count, 1e-5, &output)
    }
    return output
}

func gelu(_ kernels: phi_kernels, _ input: [Float]) -> [Float] {
    var values = input
    var output = [Float](repeating: .nan, count: input.count)
    withUnsafePointer(to: kernels) { phi_gelu($0, &values, input.count, &output) }
    return output
}

func gegelu(_ kernels: phi_kernels, _ input: [Float], limit: Float) -> [Float] {
    var values = input
    var output = [Float](repeating: .nan, count: input.count / 2)
    withUnsafePointer(to: kernels) { phi_gegelu($0, &values, input.count / 2, limit, &output) }
    return output
}

func gate(_ kernels: phi_kernels, _ gate: [Float], _ up: [Float]) -> [Float] {
    var output = [Float](repeating: .nan, count: gate.count)
    kernels.gate(gate, up, gate.count, &output)
    return output
}

func add(_ kernels: phi_kernels, _ values: [Float], _ addend: [Float]) -> [Float] {
    var output = values
    kernels.add(&output, addend, values.count)
    return output
}

/// Rotates twice as many numbers as `angles` has.
func rotate(_ kernels: phi_kernels, _ head: [Float], _ angles: [Float]) -> [Float] {
    var output = head + head.reversed()
    kernels.rotate(&output, angles.map(cosf), angles.map(sinf), angles.count)
    return output
}

/// Numbers as `kernels` stores them.
func store(_ kernels: phi_kernels, _ values: [Float], _ type: phi_float_type) -> [UInt8] {
    var bytes = [UInt8](repeating: 0xAA, count: phi_stored_size(type, values.count))
    kernels.store(values, values.count, type, &bytes)
    return bytes
}

/// Attention of the queries of one tile, of which query i, of head `heads[i]`, or 0, sees the first
/// `keyCounts[i]` of the keys and values, or those of them that `sparsity` leaves. These are stored as `type` in pages, each with the keys before the values.
func attend(
    _ kernels: phi_kernels,
    queries: [[Float]],
    keyCounts: [Int],
    keys: [Float],
    values: [Float],
    type: phi_float_type = PHI_FLOAT32,
    sparsity: phi_block_sparsity? = nil,
    heads: [Int]? = nil,
    pagePositions: Int = 5
) -> [[Float]] {
    let size = queries[0].count
    let pageCount = (keys.count / size + pagePositions - 1) / pagePositions
    func page(_ index: Int, of numbers: [Float]) -> [UInt8] {
        let first = index * pagePositions
        let end = min(first + pagePositions, numbers.count / size)
        var bytes = (first..<end).flatMap { position in
            store(kernels, Array(numbers[position * size..<(position + 1) * size]), type)
        }
        // Values after the end must not be used.
        let behind = phi_stored_size(type, size) * pagePositions - bytes.count
        bytes += [UInt8](repeating: 0xFF, count: behind)
        return bytes
    }
    let pages = (0..<pageCount).map { page($0, of: keys) + page($0, of: values) }
    let starts = pages.map { bytes in
        let start = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 64)
        start.copyMemory(from: bytes, byteCount: bytes.count)
        return UnsafeRawPointer(start) as UnsafeRawPointer?
    }
    let queryStarts = UnsafeMutablePointer<Float>.allocate(capacity: queries.count * size)
    let outputs = UnsafeMutablePointer<Float>.allocate(capacity: queries.count * size)
    let keyCount = keyCounts.max() ?? 0
    let scores = UnsafeMutablePointer<Float>.allocate(capacity: queries.count * keyCount)
    defer {
        for start in starts { start?.deallocate() }
        queryStarts.deallocate()
        outputs.deallocate()
        scores.deallocate()
    }
    for (index, number) in queries.joined().enumerated() { queryStarts[index] = number }
    starts.withUnsafeBufferPointer { starts in
        var tile = phi_attention_tile()
        tile.cached = phi_cached_head(
            pages: starts.baseAddress,
            page_positions: pagePositions,
            type: type,
            keys_offset: 0,
            values_offset: pages[0].count / 2
        )
        tile.query_count = queries.count
        tile.head_size = size
        tile.scale = 0.3
        tile.scores = scores
        tile.scores_stride = keyCount
        withUnsafeMutableBytes(of: &tile.queries) { pointers in
            let pointers = pointers.assumingMemoryBound(to: UnsafePointer<Float>?.self)
            for query in queries.indices {
                pointers[query] = UnsafePointer(queryStarts + query * size)
            }
        }
        withUnsafeMutableBytes(of: &tile.outputs) { pointers in
            let pointers = pointers.assumingMemoryBound(to: UnsafeMutablePointer<Float>?.self)
            for query in queries.indices { pointers[query] = outputs + query * size }
        }
        withUnsafeMutableBytes(of: &tile.key_counts) { counts in
            let counts = counts.assumingMemoryBound(to: Int.self)
            for query in queries.indices { counts[query] = keyCounts[query] }
        }
        withUnsafeMutableBytes(of: &tile.heads) { tileHeads in
            let tileHeads = tileHeads.assumingMemoryBound(to: Int.self)
            for query in queries.indices { tileHeads[query] = heads?[query] ?? 0 }
        }
        guard var sparsity else {
            kernels.attend(&tile)
            return
        }
        withUnsafePointer(to: &sparsity) { sparsity in
            tile.sparsity = sparsity
            kernels.attend(&tile)
        }
    }
    return queries.indices.map { query in
        Array(UnsafeBufferPointer(start: outputs + query * size, count: size))
    }
}

/// The instruction sets that this machine supports.
enum KernelTables {
    static let names: [String] = (0...)
        .lazy.map { phi_kernels_available($0) }
        .prefix { $0 != nil }
        .compactMap { $0.map { String(cString: $0.pointee.name) } }
}
