import PhiKernels
import TestSupport
import Testing

/// A type of blocks: its bytes, its weights, and where its float16 numbers are.
private struct BlockType: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let type: phi_block_type
    let byteCount: Int
    let weightCount: Int
    let halves: [Int]

    static let all = [
        BlockType("Q4_0", PHI_Q4_0, 18, 32, [0]),
        BlockType("Q4_1", PHI_Q4_1, 20, 32, [0, 2]),
        BlockType("Q5_0", PHI_Q5_0, 22, 32, [0]),
        BlockType("Q5_1", PHI_Q5_1, 24, 32, [0, 2]),
        BlockType("Q8_0", PHI_Q8_0, 34, 32, [0]),
        BlockType("Q4_K", PHI_Q4_K, 144, 256, [0, 2]),
        BlockType("Q5_K", PHI_Q5_K, 176, 256, [0, 2]),
        BlockType("Q6_K", PHI_Q6_K, 210, 256, [208]),
    ]

    private init(
        _ name: String,
        _ type: phi_block_type,
        _ byteCount: Int,
        _ weightCount: Int,
        _ halves: [Int]
    ) {
        testDescription = name
        self.type = type
        self.byteCount = byteCount
        self.weightCount = weightCount
        self.halves = halves
    }

    /// Random blocks, with scales of both signs from 1/16 to 1/8.
    func blocks(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = random.bytes(count * byteCount)
        for block in 0..<count {
            for half in halves {
                let high = block * byteCount + half + 1
                bytes[high] = bytes[high] & 0x83 | 0x2C
            }
        }
        return bytes
    }
}

/// Repacked blocks.
private struct Repacked {
    let layout: phi_matrix
    private(set) var codes: [UInt8]
    private(set) var scales: [UInt8]
    private(set) var biases: [UInt8]

    /// Repacks `blocks` in portions of these rows, into memory of exactly their size.
    init(
        _ type: BlockType,
        _ blocks: [UInt8],
        rows: Int,
        columns: Int,
        exact: Bool,
        portion: Int
    ) {
        layout = phi_repacked(type.type, rows, columns, exact ? 1 : 0)
        let size = layout.float_type == PHI_FLOAT32 ? 4 : 2
        codes = [UInt8](repeating: 0, count: rows * columns * Int(layout.bits) / 8)
        let count = rows * columns / Int(layout.group_size) * size
        scales = [UInt8](repeating: 0, count: count)
        biases = scales
        var target = layout
        codes.withUnsafeMutableBytes { codes in
            scales.withUnsafeMutableBytes { scales in
                biases.withUnsafeMutableBytes { biases in
                    target.weights = UnsafeRawPointer(codes.baseAddress)
                    target.scales = UnsafeRawPointer(scales.baseAddress)
                    target.biases = UnsafeRawPointer(biases.baseAddress)
                    blocks.withUnsafeBytes { blocks in
                        var repacking = phi_repacking(
                            type: type.type,
                            blocks: blocks.baseAddress,
                            target: target
                        )
                        for start in stride(from: 0, to: rows, by: portion) {
                            phi_repack(&repacking, start, min(start + portion, rows))
                        }
                    }
                }
            }
        }
    }

    /// All weights.
    var values: [Float] {
        var values = [Float](repeating: .nan, count: layout.rows * layout.columns)
        var matrix = layout
        codes.withUnsafeBytes { codes in
            scales.withUnsafeBytes { scales in
                biases.withUnsafeBytes { biases in
                    matrix.weights = codes.baseAddress
                    matrix.scales = scales.baseAddress
                    matrix.biases = biases.baseAddress
                    values.withUnsafeMutableBufferPointer { values in
                        for row in 0..<layout.rows {
                            let output = values.baseAddress.map { $0 + row * layout.columns }
                            phi_kernels_named("scalar").pointee.decode_row(&matrix, row, output)
                        }
                    }
                }
            }
        }
        return values
    }
}

@Suite("repacking of blocks of GGUF files")
struct RepackingTests {
    private static let rows = 7

    @Test("rows may be repacked in any portions", arguments: BlockType.all, [true, false])
    fileprivate func portions(type: BlockType, exact: Bool) {
        var random = SeededGenerator(seed: 49)
        let columns = 2 * type.weightCount
        let blocks = type.blocks(2 * Self.rows, &random)
        let parts = [1, 3, Self.rows].map { portion in
            Repacked(
                type,
                blocks,
                rows: Self.rows,
                columns: columns,
                exact: exact,
                portion: portion
            )
        }
        for part in parts.dropFirst() {
            #expect(part.codes == parts[0].codes)
            #expect(part.scales == parts[0].scales)
            #expect(part.biases == parts[0].biases)
        }
    }

    @Test("rounded weights are within half a percent of exact ones", arguments: BlockType.all)
    fileprivate func rounding(type: BlockType) {
        var random = SeededGenerator(seed: 50)
        let columns = 2 * type.weightCount
        let blocks = type.blocks(2 * Self.rows, &random)
        let values = [true, false].map { exact in
            Repacked(type, blocks, rows: Self.rows, columns: columns, exact: exact, portion: 4)
                .values
        }
        let isRounded = type.type.rawValue >= PHI_Q4_K.rawValue
        #expect((values[0] == values[1]) == !isRounded)
        #expect(relativeError(values[1], values[0]) < 0.005)
        let areFinite = values[0].allSatisfy { $0.isFinite }
        #expect(areFinite)
    }
}
