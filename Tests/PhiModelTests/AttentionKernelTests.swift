import Checkpoints
import PhiKernels
import TestSupport
import Testing

/// Tolerance: implementations may add in another order.
private let tolerance: Float = 2e-5

@Suite("attention of every instruction set against the scalar one")
struct AttentionKernelTests {
    private let scalar: phi_kernels

    init() throws {
        scalar = try #require(phi_kernels_named("scalar")).pointee
    }

    private func kernels(_ name: String) throws -> phi_kernels {
        try #require(phi_kernels_named(name)).pointee
    }

    @Test(
        "tiles of any shape, over pages of any type",
        arguments: KernelTables.names,
        [PHI_FLOAT32, PHI_FLOAT16, PHI_INT8]
    )
    func tiles(name: String, type: phi_float_type) throws {
        let kernels = try kernels(name)
        let counts = [1, 2, 3, 4] + (type == PHI_INT8 ? [16, 32] : [])
        var random = SeededGenerator(seed: 4)
        for keyCount in Array(1...20) + [63, 64, 65, 300] {
            for size in [2, 8, 20, 32, 96, 128] {
                let queryCount = counts[(keyCount + size / 2) % counts.count]
                let queries = (0..<queryCount).map { _ in random.floats(size) }
                let keyCounts = (0..<queryCount).map { max(1, keyCount - 2 * $0) }.sorted()
                let keys = random.floats(keyCount * size)
                let values = random.floats(keyCount * size)
                // Pages smaller than a piece, as large, and larger.
                let pagePositions = [5, Int(PHI_PIECE_POSITIONS), 40][(keyCount + size / 2) % 3]
                let outputs = [kernels, scalar].map { kernels in
                    attend(
                        kernels,
                        queries: queries,
                        keyCounts: keyCounts,
                        keys: keys,
                        values: values,
                        type: type,
                        pagePositions: pagePositions
                    )
                }
                for (one, other) in zip(outputs[0], outputs[1]) {
                    #expect(maximumDifference(one, other) < tolerance)
                }
                // A query gets bitwise the result that it gets alone.
                for index in queries.indices {
                    let alone = attend(
                        kernels,
                        queries: [queries[index]],
                        keyCounts: [keyCounts[index]],
                        keys: keys,
                        values: values,
                        type: type,
                        pagePositions: pagePositions
                    )
                    #expect(alone[0] == outputs[0][index])
                }
            }
        }
    }

    @Test("attention to one key far above all others is that key's value")
    func sharpAttention() throws {
        for name in KernelTables.names {
            let keys: [Float] = (0..<17).map { $0 == 11 ? 3000 : -3000 }
            let values = (0..<17).map { Float($0) }
            let output = attend(
                try kernels(name),
                queries: [[1]],
                keyCounts: [17],
                keys: keys,
                values: values
            )
            #expect(output == [[11]])
        }
    }

    @Test(
        "sums over the largest head with 8 bits do not overflow",
        arguments: KernelTables.names,
        [1, 16, 32]
    )
    func largestHead(name: String, queryCount: Int) throws {
        let size = Int(PHI_HEAD_SIZE_MAX)
        #expect(ModelConfiguration.headSizes.upperBound == size)
        let ones = [Float](repeating: 1, count: size)
        let outputs = attend(
            try kernels(name),
            queries: Array(repeating: ones, count: queryCount),
            keyCounts: Array(repeating: 2, count: queryCount),
            keys: ones + ones.map { -$0 },
            values: ones.map { 127 * $0 } + ones.map { -127 * $0 },
            type: PHI_INT8
        )
        for output in outputs {
            #expect(maximumDifference(output, ones.map { 127 * $0 }) < 1e-4)
        }
    }

    @Test("stored numbers are rounded to nearest and clamped", arguments: KernelTables.names)
    func stored(name: String) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: 16)
        let edges: [Float] = [
            0, -0.0, 1, -2, 65504, 65519, 65520, -1e9, .infinity, -.infinity, 0x1p-14, 0x1p-24,
            0x1p-25, 0x1.8p-25, 0x1p-26, 6.1e-5, -3.3e-7, 1 + 0x1p-11, 1 + 0x1.8p-10, 2047.5,
        ]
        let powers = (0..<500).map { Float(sign: .plus, exponent: $0 % 44 - 28, significand: 1) }
        let many = zip(random.floats(500), powers).map { $0 * $1 }
        for values in [edges, many] {
            let nearest = values.flatMap { value in
                FloatBytes.of(min(max(value, -65504), 65504), PHI_FLOAT16)
            }
            #expect(store(kernels, values, PHI_FLOAT16) == nearest)
            let exact = values.flatMap { FloatBytes.of($0, PHI_FLOAT32) }
            #expect(store(kernels, values, PHI_FLOAT32) == exact)
        }
        let notANumber = store(kernels, [Float](repeating: .nan, count: 9), PHI_FLOAT16)
        for index in 0..<9 {
            let bits = UInt16(notANumber[2 * index]) | UInt16(notANumber[2 * index + 1]) << 8
            #expect(Float16(bitPattern: bits).isNaN)
        }
    }

    @Test(
        "8-bit codes are rounded to nearest, equally in every instruction set",
        arguments: KernelTables.names
    )
    func storedCodes(name: String) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: 17)
        for count in Array(1...40) + [96, 128] {
            let values = random.floats(count)
            let stored = store(kernels, values, PHI_INT8)
            #expect(stored == store(scalar, values, PHI_INT8))
            let scale: Float = values.reduce(0) { max($0, abs($1)) } / 127
            #expect(Array(stored[count...]) == FloatBytes.of(scale, PHI_FLOAT32))
            for (code, value) in zip(stored, values) {
                let read = Float(Int8(bitPattern: code)) * scale
                #expect(abs(read - value) < 0.501 * scale)
            }
        }
        let nothing = store(kernels, [Float](repeating: 0, count: 21), PHI_INT8)
        #expect(nothing == [UInt8](repeating: 0, count: 25))
    }

    @Test(
        "NaN in a stored value propagates to the result",
        arguments: KernelTables.names
    )
    func storedNotANumber(name: String) throws {
        for type in [PHI_FLOAT32, PHI_FLOAT16, PHI_INT8] {
            for position in [0, 7, 8] {
                var values = [Float](repeating: 1, count: 9)
                values[position] = .nan
                let output = attend(
                    try kernels(name),
                    queries: [[Float](repeating: 1, count: 9)],
                    keyCounts: [1],
                    keys: [Float](repeating: 1, count: 9),
                    values: values,
                    type: type
                )
                #expect(output[0][position].isNaN)
            }
        }
    }
}
