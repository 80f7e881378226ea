// Random inputs for kernels.

import Checkpoints
import PhiKernels
import TestSupport

extension SeededGenerator {
    /// `count` floats in -1 ..< 1.
    mutating func floats(_ count: Int) -> [Float] {
        (0..<count).map { _ in Float.random(in: -1..<1, using: &self) }
    }
}

/// A matrix of random weights, float or quantized, at odd addresses as in MLX's files.
struct RandomMatrix {
    let rows: Int
    let columns: Int
    private let bits: Int
    private let groupSize: Int
    private let floatType: phi_float_type
    private let biasType: phi_float_type
    private let codeType: phi_code_type
    // One more byte before each, for an odd address.
    private let weights: [UInt8]
    private let scales: [UInt8]
    private let biases: [UInt8]

    init(
        floatType: phi_float_type,
        rows: Int,
        columns: Int,
        _ random: inout SeededGenerator
    ) {
        self.rows = rows
        self.columns = columns
        self.floatType = floatType
        biasType = floatType
        codeType = PHI_INTEGER_CODES
        bits = 0
        groupSize = 0
        weights = Self.stored(random.floats(rows * columns), floatType)
        scales = []
        biases = []
    }

    init(
        bits: Int,
        groupSize: Int,
        scaleType: phi_float_type,
        biasType: phi_float_type,
        rows: Int,
        columns: Int,
        _ random: inout SeededGenerator
    ) {
        self.rows = rows
        self.columns = columns
        self.bits = bits
        self.groupSize = groupSize
        floatType = scaleType
        self.biasType = biasType
        codeType = PHI_INTEGER_CODES
        weights = random.bytes(1 + rows * columns * bits / 8)
        let groupCount = rows * columns / groupSize
        scales = Self.stored(random.floats(groupCount).map { $0 / 16 }, scaleType)
        biases = Self.stored(random.floats(groupCount), biasType)
    }

    /// A matrix of a scheme with floats as codes, none of which is NaN.
    init(
        floats scheme: QuantizationScheme,
        rows: Int,
        columns: Int,
        _ random: inout SeededGenerator
    ) {
        let codes = random.bytes(rows * columns * scheme.bits / 8)
        let isWide = scheme.bits == 8
        // From 2^-12 to 2^-5, or up to 2 of both signs.
        let scales = random.bytes(rows * columns / scheme.groupSize)
            .map { byte in scheme == .nvfp4 ? byte & 0xBF : 115 + byte % 8 }
        self.init(
            floats: scheme,
            codes: codes.map { isWide && $0 & 0x7F == 0x7F ? $0 - 1 : $0 },
            scales: scales,
            rows: rows,
            columns: columns
        )
    }

    /// A matrix of a scheme with floats as codes.
    init(
        floats scheme: QuantizationScheme,
        codes: [UInt8],
        scales: [UInt8],
        rows: Int,
        columns: Int
    ) {
        self.rows = rows
        self.columns = columns
        bits = scheme.bits
        groupSize = scheme.groupSize
        floatType = scheme == .nvfp4 ? PHI_E4M3 : PHI_E8M0
        biasType = PHI_FLOAT32
        codeType = scheme == .mxfp8 ? PHI_E4M3_CODES : PHI_E2M1_CODES
        weights = [0] + codes
        self.scales = [0] + scales
        biases = [0]
    }

    /// A matrix of one byte of codes and one scale, without biases.
    init(
        code: UInt8,
        scale: Float,
        bits: Int,
        groupSize: Int,
        rows: Int,
        columns: Int
    ) {
        self.rows = rows
        self.columns = columns
        self.bits = bits
        self.groupSize = groupSize
        floatType = PHI_FLOAT32
        biasType = PHI_FLOAT32
        codeType = PHI_INTEGER_CODES
        let groupCount = rows * columns / groupSize
        weights = [UInt8](repeating: code, count: 1 + rows * columns * bits / 8)
        scales = Self.stored([Float](repeating: scale, count: groupCount), PHI_FLOAT32)
        biases = Self.stored([Float](repeating: 0, count: groupCount), PHI_FLOAT32)
    }

    private static func stored(_ values: [Float], _ type: phi_float_type) -> [UInt8] {
        [0] + values.flatMap { FloatBytes.of($0, type) }
    }

    /// Calls `body` with the matrix as a kernel argument.
    func withMatrix<Result>(_ body: (UnsafePointer<phi_matrix>) -> Result) -> Result {
        weights.withUnsafeBytes { weights in
            scales.withUnsafeBytes { scales in
                biases.withUnsafeBytes { biases in
                    var matrix = phi_matrix(
                        weights: weights.baseAddress.map { $0 + 1 },
                        scales: scales.baseAddress.map { $0 + 1 },
                        biases: biases.baseAddress.map { $0 + 1 },
                        rows: rows,
                        columns: columns,
                        float_type: floatType,
                        bias_type: biasType,
                        code_type: codeType,
                        bits: UInt32(bits),
                        group_size: UInt32(groupSize)
                    )
                    return body(&matrix)
                }
            }
        }
    }

    /// The product of rows of activations with this matrix, computed in two parts.
    func product(_ input: [Float], _ kernels: phi_kernels) -> [Float] {
        withProduct(input, kernels) { matrix, activations, output in
            kernels.multiply(matrix, 0, rows / 3, activations, output, rows)
            kernels.multiply(matrix, rows / 3, rows, activations, output, rows)
        }
    }

    /// The product of rows of activations with this matrix, computed by a team.
    func product(
        _ input: [Float],
        _ kernels: UnsafePointer<phi_kernels>,
        _ team: OpaquePointer
    ) -> [Float] {
        withProduct(input, kernels.pointee) { matrix, activations, output in
            phi_team_multiply(team, kernels, matrix, activations, output, rows)
        }
    }

    /// The product of rows of activations, rounded to int8, with this matrix, in two parts.
    func int8Product(_ input: [Float], _ kernels: phi_kernels) -> [Float] {
        let count = input.count / columns
        let (codes, scales, sums) = rounded(input, kernels)
        let isPacked = withUnsafePointer(to: kernels) { phi_reads_packed($0, count) != 0 }
        var output = [Float](repeating: .nan, count: count * rows)
        withMatrix { matrix in
            let size = isPacked ? phi_packed_size(matrix, kernels.panel_rows, count) : 0
            withUnsafeTemporaryAllocation(byteCount: size, alignment: 64) { packed in
                codes.withUnsafeBufferPointer { codes in
                    scales.withUnsafeBufferPointer { scales in
                        sums.withUnsafeBufferPointer { sums in
                            var activations = phi_int8_activations(
                                codes: codes.baseAddress,
                                scales: scales.baseAddress,
                                sums: sums.baseAddress,
                                count: count,
                                packed: packed.bindMemory(to: UInt8.self).baseAddress
                            )
                            multiply(&activations, isPacked, matrix, kernels, &output)
                        }
                    }
                }
            }
        }
        return output
    }

    private func multiply(
        _ activations: UnsafePointer<phi_int8_activations>,
        _ isPacked: Bool,
        _ matrix: UnsafePointer<phi_matrix>,
        _ kernels: phi_kernels,
        _ output: UnsafeMutablePointer<Float>
    ) {
        if isPacked {
            for row in stride(from: 0, to: activations.pointee.count, by: kernels.panel_rows) {
                kernels.pack(matrix, activations, row)
            }
        }
        kernels.multiply_int8(matrix, 0, rows / 3, activations, output, rows)
        kernels.multiply_int8(matrix, rows / 3, rows, activations, output, rows)
    }

    /// Rows of activations, rounded to int8 for this matrix.
    func rounded(
        _ input: [Float],
        _ kernels: phi_kernels
    ) -> (codes: [Int8], scales: [Float], sums: [Float]) {
        var codes = [Int8](repeating: .min, count: input.count)
        var scales = [Float](repeating: .nan, count: input.count / groupSize)
        var sums = scales
        let groupCount = columns / groupSize
        withMatrix { matrix in
            codes.withUnsafeMutableBufferPointer { codes in
                scales.withUnsafeMutableBufferPointer { scales in
                    sums.withUnsafeMutableBufferPointer { sums in
                        for row in 0..<input.count / columns {
                            kernels.quantize(
                                matrix,
                                Array(input[row * columns..<(row + 1) * columns]),
                                codes.baseAddress.map { $0 + row * columns },
                                scales.baseAddress.map { $0 + row * groupCount },
                                sums.baseAddress.map { $0 + row * groupCount }
                            )
                        }
                    }
                }
            }
        }
        return (codes, scales, sums)
    }

    private func withProduct(
        _ input: [Float],
        _ kernels: phi_kernels,
        _ multiply: (
            UnsafePointer<phi_matrix>, UnsafePointer<phi_activations>, UnsafeMutablePointer<Float>
        ) -> Void
    ) -> [Float] {
        let count = input.count / columns
        var sums: [Float] = []
        if bits > 0, codeType == PHI_INTEGER_CODES {
            sums = [Float](repeating: .nan, count: input.count / groupSize)
            kernels.group_sums(input, sums.count, groupSize, &sums)
        }
        var output = [Float](repeating: .nan, count: count * rows)
        input.withUnsafeBufferPointer { input in
            sums.withUnsafeBufferPointer { sums in
                var activations = phi_activations(
                    values: input.baseAddress,
                    group_sums: sums.baseAddress,
                    count: count
                )
                withMatrix { multiply($0, &activations, &output) }
            }
        }
        return output
    }
}

/// The stored form of a float.
enum FloatBytes {
    static func of(_ value: Float, _ type: phi_float_type) -> [UInt8] {
        switch type {
        case PHI_FLOAT16: withUnsafeBytes(of: Float16(value).bitPattern) { Array($0) }
        case PHI_BFLOAT16: withUnsafeBytes(of: UInt16(value.bitPattern >> 16)) { Array($0) }
        default: withUnsafeBytes(of: value.bitPattern) { Array($0) }
        }
    }
}

/// The largest difference of two lists, relative to the largest number of `expected`.
func relativeDifference(_ result: [Float], _ expected: [Float]) -> Float {
    let largest = expected.reduce(1) { max($0, abs($1)) }
    return maximumDifference(result, expected) / largest
}
