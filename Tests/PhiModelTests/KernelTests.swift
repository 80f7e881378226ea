import Checkpoints
import PhiKernels
import TestSupport
import Testing

/// Tolerance: implementations may add in another order.
private let tolerance: Float = 2e-5

@Suite("kernels of every instruction set against the scalar ones")
struct KernelTests {
    private let scalar: phi_kernels

    init() throws {
        scalar = try #require(phi_kernels_named("scalar")).pointee
    }

    private func kernels(_ name: String) throws -> phi_kernels {
        try #require(phi_kernels_named(name)).pointee
    }

    @Test("an unknown name has no table, and there is a best one")
    func names() {
        #expect(phi_kernels_named("avx3") == nil)
        #expect(KernelTables.names.contains(String(cString: phi_kernels_best().pointee.name)))
    }

    @Test("products with float matrices of any shape", arguments: KernelTables.names)
    func floatProducts(name: String) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: 1)
        for round in 0..<120 {
            let matrix = RandomMatrix(
                floatType: [PHI_FLOAT32, PHI_FLOAT16, PHI_BFLOAT16][round % 3],
                rows: .random(in: 1...70, using: &random),
                columns: .random(in: 1...100, using: &random),
                &random
            )
            let input = random.floats(matrix.columns * (1 + round % 9))
            let expected = matrix.product(input, scalar)
            #expect(relativeDifference(matrix.product(input, kernels), expected) < tolerance)
        }
    }

    @Test(
        "products with quantized matrices of any shape",
        arguments: KernelTables.names,
        AffineQuantization.supportedBits
    )
    func quantizedProducts(name: String, bits: Int) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: UInt64(bits))
        let types = [PHI_FLOAT32, PHI_FLOAT16, PHI_BFLOAT16]
        for round in 0..<54 {
            let groupSize = AffineQuantization.supportedGroupSizes[round % 3]
            let matrix = RandomMatrix(
                bits: bits,
                groupSize: groupSize,
                scaleType: types[round / 3 % 3],
                biasType: types[round / 9 % 3],
                rows: .random(in: 1...70, using: &random),
                columns: groupSize * .random(in: 1...19, using: &random),
                &random
            )
            let input = random.floats(matrix.columns * (1 + round % 9))
            let expected = matrix.product(input, scalar)
            #expect(relativeDifference(matrix.product(input, kernels), expected) < tolerance)
        }
    }

    @Test(
        "products with floats of 4 and 8 bits of any shape",
        arguments: KernelTables.names,
        QuantizationScheme.floats
    )
    func floatCodes(name: String, scheme: QuantizationScheme) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: UInt64(scheme.bits + scheme.groupSize))
        for round in 0..<54 {
            let matrix = RandomMatrix(
                floats: scheme,
                rows: .random(in: 1...70, using: &random),
                columns: scheme.groupSize * .random(in: 1...19, using: &random),
                &random
            )
            let input = random.floats(matrix.columns * (1 + round % 9))
            let expected = matrix.product(input, scalar)
            #expect(relativeDifference(matrix.product(input, kernels), expected) < tolerance)
        }
    }

    @Test(
        "decoded rows agree with products",
        arguments: KernelTables.names,
        AffineQuantization.supportedBits
    )
    func decodedRows(name: String, bits: Int) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: 3)
        let matrix = RandomMatrix(
            bits: bits,
            groupSize: 32,
            scaleType: PHI_FLOAT16,
            biasType: PHI_FLOAT16,
            rows: 5,
            columns: 96,
            &random
        )
        var row = [Float](repeating: .nan, count: 96)
        matrix.withMatrix { storage in
            for index in 0..<5 {
                var unit = [Float](repeating: 0, count: 96)
                kernels.decode_row(storage, index, &row)
                unit[7 * index] = 1
                let element = matrix.product(unit, scalar)[index]
                #expect(abs(row[7 * index] - element) < 1e-6)
            }
        }
    }

    @Test("norm, gate, rotation, sums and addition of any length", arguments: KernelTables.names)
    func vectors(name: String) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: 5)
        for count in Array(1...40) + [96, 257] {
            let one = random.floats(count)
            let other = random.floats(count)
            for operation in [norm, gate, add, rotate] {
                let result = operation(kernels, one, other)
                #expect(maximumDifference(result, operation(scalar, one, other)) < tolerance)
            }
        }
        let values = random.floats(256)
        var sums = [Float](repeating: .nan, count: 4)
        kernels.group_sums(values, 4, 64, &sums)
        let expected = (0..<4).map { values[$0 * 64..<($0 + 1) * 64].reduce(0, +) }
        #expect(maximumDifference(sums, expected) < tolerance)
    }

    @Test("the gate is correct at the limits of the float range", arguments: KernelTables.names)
    func gateExtremes(name: String) throws {
        let gates: [Float] = [0, 1e-30, -1e-30, 20, -20, 87, -87, 90, -90, 1e30, -1e30, -0.0]
        let expected = gates.map { gate in Float(Double(gate) / (1 + exponential(-Double(gate)))) }
        let result = gate(try kernels(name), gates, gates.map { _ in 1 })
        for (one, other) in zip(result, expected) {
            #expect(abs(one - other) <= max(abs(other) * 1e-6, 1e-30))
        }
    }

    @Test("NaN propagates", arguments: KernelTables.names)
    func notANumber(name: String) throws {
        let gates = [Float](repeating: .nan, count: 9)
        #expect(gate(try kernels(name), gates, gates.map { _ in 1 }).allSatisfy(\.isNaN))
    }
}
