import Checkpoints
import Glibc
import PhiKernels
import TestSupport
import Testing

/// Bytes that end at the end of readable memory.
private final class GuardedBytes {
    let start: UnsafeMutableRawPointer
    private let mapping: UnsafeMutableRawPointer
    private let mappingByteCount: Int

    init(_ bytes: [UInt8]) throws {
        let page = Int(getpagesize())
        let readable = (bytes.count + page - 1) / page * page
        mappingByteCount = readable + page
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        mapping = try #require(mmap(nil, mappingByteCount, PROT_READ | PROT_WRITE, flags, -1, 0))
        try #require(mprotect(mapping + readable, page, PROT_NONE) == 0)
        start = mapping + readable - bytes.count
        start.copyMemory(from: bytes, byteCount: bytes.count)
    }

    deinit {
        munmap(mapping, mappingByteCount)
    }
}

@Suite("kernels at the end of a mapped file")
struct KernelBoundsTests {
    @Test("nothing after a matrix is read, for every layout")
    func quantized() async {
        await #expect(processExitsWith: .success) {
            var random = SeededGenerator(seed: 8)
            for bits in AffineQuantization.supportedBits {
                for type in [PHI_FLOAT32, PHI_FLOAT16, PHI_BFLOAT16] {
                    for groupCount in [1, 3, 8] {
                        let scales = random.bytes(2 * groupCount * (type == PHI_FLOAT32 ? 4 : 2))
                        try multiplyAtBorder(
                            weights: random.bytes(2 * 32 * groupCount * bits / 8),
                            scales: scales,
                            columns: 32 * groupCount,
                            type,
                            bits: bits
                        )
                    }
                }
            }
        }
    }

    @Test("nothing after a matrix of floats of 4 or 8 bits is read")
    func floatCodes() async {
        await #expect(processExitsWith: .success) {
            var random = SeededGenerator(seed: 10)
            for (groupSize, bits, type, codes) in [
                (32, 4, PHI_E8M0, PHI_E2M1_CODES), (16, 4, PHI_E4M3, PHI_E2M1_CODES),
                (32, 8, PHI_E8M0, PHI_E4M3_CODES),
            ] {
                for groupCount in [1, 2, 3, 7, 8] {
                    try multiplyAtBorder(
                        weights: random.bytes(2 * groupSize * groupCount * bits / 8),
                        scales: random.bytes(2 * groupCount),
                        columns: groupSize * groupCount,
                        type,
                        codes,
                        bits: bits,
                        groupSize: UInt32(groupSize)
                    )
                }
            }
        }
    }

    @Test("nothing after a float matrix is read, for every type")
    func floats() async {
        await #expect(processExitsWith: .success) {
            var random = SeededGenerator(seed: 9)
            for type in [PHI_FLOAT32, PHI_FLOAT16, PHI_BFLOAT16] {
                for columns in [1, 7, 8, 15, 16, 33] {
                    let byteCount = 2 * columns * (type == PHI_FLOAT32 ? 4 : 2)
                    try multiplyAtBorder(
                        weights: random.bytes(byteCount),
                        scales: [],
                        columns: columns,
                        type,
                        bits: 0
                    )
                }
            }
        }
    }
}

/// Multiplies and decodes a matrix of two rows whose parts all end at the end of readable memory,
/// with every table.
private func multiplyAtBorder(
    weights: [UInt8],
    scales: [UInt8],
    columns: Int,
    _ type: phi_float_type,
    _ codeType: phi_code_type = PHI_INTEGER_CODES,
    bits: Int,
    groupSize: UInt32 = 32
) throws {
    let parts = try [weights, scales, scales].map(GuardedBytes.init)
    var matrix = phi_matrix(
        weights: parts[0].start,
        scales: parts[1].start,
        biases: parts[2].start,
        rows: 2,
        columns: columns,
        float_type: type,
        bias_type: type,
        code_type: codeType,
        bits: UInt32(bits),
        group_size: groupSize
    )
    let input = [Float](repeating: 1, count: columns)
    var row = input
    var output: [Float] = [0, 0]
    for name in KernelTables.names {
        let kernels = try #require(phi_kernels_named(name)).pointee
        input.withUnsafeBufferPointer { input in
            var activations = phi_activations(
                values: input.baseAddress,
                group_sums: input.baseAddress,
                count: 1
            )
            kernels.multiply(&matrix, 0, 2, &activations, &output, 2)
        }
        kernels.decode_row(&matrix, 1, &row)
        if phi_takes_int8(&matrix) != 0 { multiplyRounded(&matrix, input, kernels) }
    }
    extendLifetime(parts)
}

/// Multiplies both rows with `input` rounded to int8.
private func multiplyRounded(
    _ matrix: inout phi_matrix,
    _ input: [Float],
    _ kernels: phi_kernels
) {
    var codes = [Int8](repeating: 0, count: input.count)
    var scales = input
    var sums = input
    var output: [Float] = [0, 0]
    kernels.quantize(&matrix, input, &codes, &scales, &sums)
    codes.withUnsafeBufferPointer { codes in
        scales.withUnsafeBufferPointer { scales in
            sums.withUnsafeBufferPointer { sums in
                var activations = phi_int8_activations(
                    codes: codes.baseAddress,
                    scales: scales.baseAddress,
                    sums: sums.baseAddress,
                    count: 1,
                    packed: nil
                )
                kernels.multiply_int8(&matrix, 0, 2, &activations, &output, 2)
            }
        }
    }
}
