import Checkpoints
import Glibc
import PhiKernels
import Testing

/// A float of 8 bits: OCP 8-bit Floating Point Specification, E4M3.
private func e4m3(_ byte: Int) -> Float {
    let (exponent, fraction) = (byte >> 3 & 15, Float(byte & 7) / 8)
    if byte & 0x7F == 0x7F { return .nan }
    let magnitude =
        exponent == 0
        ? fraction * exp2f(-6) : (1 + fraction) * exp2f(Float(exponent - 7))
    return byte < 128 ? magnitude : -magnitude
}

@Suite("floats of 4 and 8 bits, every one of them")
struct FloatCodeTests {
    /// The first column of a matrix whose row i has only the byte `codes[i]` and the scale
    /// `scales[i]`.
    private func column(
        _ scheme: QuantizationScheme,
        codes: [UInt8],
        scales: [UInt8],
        _ kernels: phi_kernels
    ) -> [Float] {
        let size = scheme.groupSize
        let matrix = RandomMatrix(
            floats: scheme,
            codes: codes.flatMap { [UInt8](repeating: $0, count: size * scheme.bits / 8) },
            scales: scales,
            rows: codes.count,
            columns: size
        )
        let unit = (0..<size).map { Float($0 == 0 ? 1 : 0) }
        let product = matrix.product(unit, kernels)
        var row = unit
        for index in codes.indices {
            matrix.withMatrix { kernels.decode_row($0, index, &row) }
            #expect(row[0] == product[index] || row[0].isNaN && product[index].isNaN)
        }
        return product
    }

    private func expectSame(_ one: [Float], _ other: [Float]) {
        for (index, pair) in zip(one, other).enumerated() {
            #expect(pair.0 == pair.1 || pair.0.isNaN && pair.1.isNaN, "\(index)")
        }
    }

    @Test("codes and scales are what they stand for", arguments: KernelTables.names)
    func values(name: String) throws {
        let kernels = try #require(phi_kernels_named(name)).pointee
        let all = (0...255).map { UInt8($0) }
        let ones = { (count: Int) in [UInt8](repeating: 127, count: count) }

        let positive: [Float] = [0, 0.5, 1, 1.5, 2, 3, 4, 6]
        let small = column(.mxfp4, codes: (0..<16).map { 17 * $0 }, scales: ones(16), kernels)
        expectSame(small, positive + positive.map { -$0 })
        let wide = column(.mxfp8, codes: all, scales: ones(256), kernels)
        expectSame(wide, (0...255).map(e4m3))

        // With codes of 1. The largest byte is no number.
        let powers = column(
            .mxfp4,
            codes: [UInt8](repeating: 0x22, count: 255),
            scales: all.dropLast(),
            kernels
        )
        expectSame(powers, (0..<255).map { exp2f(Float($0 - 127)) })
        let scales = column(
            .nvfp4,
            codes: [UInt8](repeating: 0x22, count: 256),
            scales: all,
            kernels
        )
        expectSame(scales, (0...255).map(e4m3))
    }
}
