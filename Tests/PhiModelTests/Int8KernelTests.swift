import Checkpoints
import PhiKernels
import TestSupport
import Testing

/// Matrices that can be multiplied with activations rounded to int8.
private struct Layout: Sendable, CustomTestStringConvertible {
    let scheme: QuantizationScheme

    var groupSize: Int { scheme.groupSize }
    var testDescription: String { "\(scheme.mode), \(scheme.bits) bits by \(groupSize)" }

    init(_ scheme: QuantizationScheme) {
        self.scheme = scheme
    }

    static let all =
        [4, 8].flatMap { bits in
            AffineQuantization.supportedGroupSizes.map { groupSize in
                Layout(.affine(AffineQuantization(bits: bits, groupSize: groupSize)))
            }
        } + [Layout(.mxfp4), Layout(.nvfp4)]

    func matrix(
        _ round: Int,
        groupCount: Int,
        _ random: inout SeededGenerator
    ) -> RandomMatrix {
        let types = [PHI_FLOAT32, PHI_FLOAT16, PHI_BFLOAT16]
        let rows = Int.random(in: 1...70, using: &random)
        let columns = groupSize * groupCount
        guard case .affine = scheme else {
            return RandomMatrix(floats: scheme, rows: rows, columns: columns, &random)
        }
        return RandomMatrix(
            bits: scheme.bits,
            groupSize: groupSize,
            scaleType: types[round % 3],
            biasType: types[round / 3 % 3],
            rows: rows,
            columns: columns,
            &random
        )
    }

    /// A matrix whose codes are the largest, with scales of 1, and that code.
    func largest(rows: Int, columns: Int) -> (RandomMatrix, code: Int) {
        guard case .affine = scheme else {
            let matrix = RandomMatrix(
                floats: scheme,
                codes: [UInt8](repeating: 0x77, count: rows * columns / 2),
                scales: [UInt8](
                    repeating: scheme == .nvfp4 ? 0x38 : 127,
                    count: rows * columns / groupSize
                ),
                rows: rows,
                columns: columns
            )
            return (matrix, 6)
        }
        let matrix = RandomMatrix(
            code: 0xFF,
            scale: 1,
            bits: scheme.bits,
            groupSize: groupSize,
            rows: rows,
            columns: columns
        )
        return (matrix, (1 << scheme.bits) - 1)
    }
}

@Suite("products with activations rounded to int8")
struct Int8KernelTests {
    private let scalar: phi_kernels

    init() throws {
        scalar = try #require(phi_kernels_named("scalar")).pointee
    }

    private func kernels(_ name: String) throws -> phi_kernels {
        try #require(phi_kernels_named(name)).pointee
    }

    @Test(
        "every instruction set gives the same bits, for any number of rows",
        arguments: KernelTables.names,
        Layout.all
    )
    fileprivate func identical(name: String, layout: Layout) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: 11)
        // From few rows to many, which are computed in tiles and in panels.
        let counts = Array(1...9) + [11, 12, 13, 15, 16, 17, 31, 65, 70]
        for round in 0..<2 * counts.count {
            let matrix = layout.matrix(round, groupCount: 1 + round / 2, &random)
            let input = random.floats(matrix.columns * counts[round % counts.count])
            let rounded = matrix.rounded(input, kernels)
            let expected = matrix.rounded(input, scalar)
            #expect(rounded.codes == expected.codes)
            #expect(rounded.scales == expected.scales)
            #expect(rounded.sums == expected.sums)
            #expect(matrix.int8Product(input, kernels) == matrix.int8Product(input, scalar))
        }
    }

    @Test("rounding is the only difference to an exact product", arguments: Layout.all)
    fileprivate func exact(layout: Layout) throws {
        var random = SeededGenerator(seed: 12)
        for round in 0..<9 {
            let matrix = layout.matrix(round, groupCount: 1 + round, &random)
            // Whole numbers up to 127 are their own codes.
            let input = (0..<3 * matrix.columns).map { index -> Float in
                let largest = index % layout.groupSize == 0
                return largest ? 127 : Float(Int.random(in: -127...127, using: &random))
            }
            let product = matrix.int8Product(input, scalar)
            #expect(relativeDifference(product, matrix.product(input, scalar)) < 2e-5)
        }
    }

    @Test("a rounded product is near the exact one", arguments: Layout.all)
    fileprivate func near(layout: Layout) throws {
        let kernels = try #require(phi_kernels_best()).pointee
        var random = SeededGenerator(seed: 13)
        let matrix = layout.matrix(0, groupCount: 24, &random)
        let input = random.floats(9 * matrix.columns)
        let exact = matrix.product(input, scalar)
        let rounded = matrix.int8Product(input, kernels)
        #expect(relativeError(rounded, exact) < 0.01)
    }

    @Test("extremes of codes and activations do not overflow", arguments: KernelTables.names)
    func extremes(name: String) throws {
        let kernels = try kernels(name)
        for layout in Layout.all {
            for sign in [Float(1), -1] {
                let columns = 8 * layout.groupSize
                let (matrix, code) = layout.largest(rows: 60, columns: columns)
                for count in [1, 20] {
                    let input = [Float](repeating: 127 * sign, count: count * columns)
                    let expected = Float(columns * 127 * code) * sign
                    let product = matrix.int8Product(input, kernels)
                    #expect(product == [Float](repeating: expected, count: product.count))
                }
            }
        }
    }

    @Test("zeros and tiny numbers give zero", arguments: KernelTables.names)
    func nothing(name: String) throws {
        var random = SeededGenerator(seed: 14)
        let matrix = Layout(.affine(AffineQuantization(bits: 4, groupSize: 64)))
            .matrix(0, groupCount: 3, &random)
        for value in [Float(0), -0.0, .leastNonzeroMagnitude, -1e-37] {
            let input = [Float](repeating: value, count: matrix.columns)
            let product = matrix.int8Product(input, try kernels(name))
            #expect(product.allSatisfy { $0 == 0 })
        }
    }

    @Test("NaN and infinity propagate", arguments: KernelTables.names)
    func notANumber(name: String) throws {
        var random = SeededGenerator(seed: 15)
        for layout in Layout.all {
            let matrix = layout.matrix(0, groupCount: 3, &random)
            for value in [Float.nan, -Float.nan, .infinity, -.infinity] {
                for position in [0, 7, matrix.columns - 1] {
                    var input = random.floats(matrix.columns)
                    input[position] = value
                    let product = matrix.int8Product(input, try kernels(name))
                    #expect(product.allSatisfy { !$0.isFinite })
                }
            }
        }
    }
}

/// The root of the mean square of the differences, relative to that of `expected`.
func relativeError(_ result: [Float], _ expected: [Float]) -> Float {
    precondition(result.count == expected.count, "lists of one length")
    let error = zip(result, expected).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
    return (error / expected.reduce(0) { $0 + $1 * $1 }).squareRoot()
}
