import PhiKernels
import TestSupport
import Testing

/// Float32 sums and exponentials.
private let tolerance: Float = 5e-6

@Suite("norms and activations of other architectures against their definitions")
struct LayerStepTests {
    private func kernels(_ name: String) throws -> phi_kernels {
        try #require(phi_kernels_named(name)).pointee
    }

    @Test("LayerNorm of any length", arguments: KernelTables.names)
    func layerNorms(name: String) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: 1)
        for count in Array(2...40) + [96, 257] {
            let input = random.floats(count).map { $0 + 3 }
            let weight = random.floats(count)
            let mean = input.reduce(0) { $0 + Double($1) } / Double(count)
            let squares = input.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
            let deviation = (squares / Double(count) + 1e-5).squareRoot()
            let expected = input.indices.map { index in
                Float((Double(input[index]) - mean) / deviation) * weight[index]
                    + weight[count - 1 - index]
            }
            #expect(maximumDifference(layerNorm(kernels, input, weight), expected) < tolerance)
        }
    }

    @Test("GELU, also far from zero", arguments: KernelTables.names)
    func gelus(name: String) throws {
        let values: [Float] =
            stride(from: -12, through: 12, by: 0.037).map { $0 } + [0, -1e6, 1e6, 1e-30]
        let result = gelu(try kernels(name), values)
        for (value, found) in zip(values, result) {
            let x = Double(value)
            let z = 0.797_884_560_802_865_4 * (x + 0.044715 * x * x * x)
            let expected = x / (1 + exponential(-2 * z))
            #expect(abs(Double(found) - expected) <= 1e-6 * max(1, abs(expected)))
        }
    }

    @Test("GEGELU clips both of its inputs", arguments: KernelTables.names)
    func gegelus(name: String) throws {
        let kernels = try kernels(name)
        var random = SeededGenerator(seed: 2)
        for count in Array(1...20) + [96] {
            let input = random.floats(2 * count).map { 4 * $0 }
            let expected = (0..<count).map { index in
                let a = Double(min(input[2 * index], 2))
                let b = Double(max(min(input[2 * index + 1], 2), -2))
                return Float(a / (1 + exponential(-1.702 * a)) * (b + 1))
            }
            let result = gegelu(kernels, input, limit: 2)
            #expect(maximumDifference(result, expected) < tolerance)
        }
    }

    @Test("NaN propagates", arguments: KernelTables.names)
    func notANumber(name: String) throws {
        let values = [Float](repeating: .nan, count: 18)
        let kernels = try kernels(name)
        #expect(gelu(kernels, values).allSatisfy { $0.isNaN })
        #expect(gegelu(kernels, values, limit: 2).allSatisfy { $0.isNaN })
    }
}
