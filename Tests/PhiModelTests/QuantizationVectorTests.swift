import Checkpoints
import JSONText
import PhiKernels
import Testing

/// One matrix that MLX quantized, with its product.
private struct QuantizationVector: Sendable, CustomTestStringConvertible {
    let name: String
    let type: phi_float_type
    let bits: Int
    let groupSize: Int
    let rows: Int
    let columns: Int
    let codes: [UInt8]
    let scales: [UInt8]
    let biases: [UInt8]
    let dequantized: [Float]
    let input: [Float]
    let product: [Float]

    var testDescription: String { "\(name), \(bits) bits, type \(type.rawValue)" }

    init(_ json: JSONValue) throws {
        name = json["name"]?.string ?? ""
        let types = [
            "float32": PHI_FLOAT32, "float16": PHI_FLOAT16, "bfloat16": PHI_BFLOAT16,
        ]
        type = types[json["dtype"]?.string ?? ""] ?? PHI_FLOAT32
        bits = json["bits"]?.integer ?? 0
        groupSize = json["group_size"]?.integer ?? 0
        rows = try json.list("shape")[0].integer ?? 0
        columns = try json.list("shape")[1].integer ?? 0
        codes = try json.list("q").flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: (word.integer ?? 0) >> (8 * $0)) }
        }
        let type = type
        scales = try json.floats("scales").flatMap { FloatBytes.of($0, type) }
        biases = try json.floats("biases").flatMap { FloatBytes.of($0, type) }
        dequantized = try json.floats("dequantized")
        input = try json.floats("x")
        product = try json.floats("y")
    }

    static let all: [QuantizationVector] = {
        let list = try? Golden.json("quant_vectors.json").list()
        return (list ?? []).compactMap { try? QuantizationVector($0) }
    }()
}

@Suite("MLX's quantization vectors")
struct QuantizationVectorTests {
    @Test("there are eleven of them")
    func count() {
        #expect(QuantizationVector.all.count == 11)
    }

    @Test(
        "rows are decoded and multiplied as MLX does",
        arguments: QuantizationVector.all,
        KernelTables.names
    )
    fileprivate func matches(vector: QuantizationVector, table: String) throws {
        let kernels = try #require(phi_kernels_named(table)).pointee
        // MLX rounds to the stored type after each step; float32 does not.
        let relative: Float =
            vector.type == PHI_FLOAT32 ? 1e-6 : vector.type == PHI_FLOAT16 ? 2e-3 : 1.6e-2
        vector.codes.withUnsafeBytes { codes in
            vector.scales.withUnsafeBytes { scales in
                vector.biases.withUnsafeBytes { biases in
                    var matrix = phi_matrix(
                        weights: codes.baseAddress,
                        scales: scales.baseAddress,
                        biases: biases.baseAddress,
                        rows: vector.rows,
                        columns: vector.columns,
                        float_type: vector.type,
                        bias_type: vector.type,
                        code_type: PHI_INTEGER_CODES,
                        bits: UInt32(vector.bits),
                        group_size: UInt32(vector.groupSize)
                    )
                    checkRows(vector, &matrix, kernels, relative)
                    checkProduct(vector, &matrix, kernels)
                }
            }
        }
    }

    private func checkRows(
        _ vector: QuantizationVector,
        _ matrix: inout phi_matrix,
        _ kernels: phi_kernels,
        _ relative: Float
    ) {
        var row = [Float](repeating: .nan, count: vector.columns)
        for index in 0..<vector.rows {
            kernels.decode_row(&matrix, index, &row)
            let expected = vector.dequantized[index * vector.columns..<(index + 1) * vector.columns]
            let largest = expected.reduce(0) { max($0, abs($1)) }
            #expect(maximumDifference(row, Array(expected)) <= relative * largest + 1e-6)
        }
    }

    private func checkProduct(
        _ vector: QuantizationVector,
        _ matrix: inout phi_matrix,
        _ kernels: phi_kernels
    ) {
        let count = vector.input.count / vector.columns
        let groupCount = count * vector.columns / vector.groupSize
        var sums = [Float](repeating: .nan, count: groupCount)
        kernels.group_sums(vector.input, groupCount, vector.groupSize, &sums)
        var output = [Float](repeating: .nan, count: count * vector.rows)
        vector.input.withUnsafeBufferPointer { input in
            sums.withUnsafeBufferPointer { sums in
                var activations = phi_activations(
                    values: input.baseAddress,
                    group_sums: sums.baseAddress,
                    count: count
                )
                kernels.multiply(&matrix, 0, vector.rows, &activations, &output, vector.rows)
            }
        }
        // The products of the vectors are from float32 scales, so they round as ours do.
        #expect(maximumDifference(output, vector.product) < 2e-5)
    }
}
