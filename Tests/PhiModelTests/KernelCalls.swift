// The kernels as functions from arrays to arrays.

import Glibc
import PhiKernels

/// exp(x).
func exponential(_ x: Double) -> Double { exp(x) }

func norm(_ kernels: phi_kernels, _ input: [Float], _ weight: [Float]) -> [Float] {
    var output = [Float](repeating: .nan, count: input.count)
    kernels.rms_norm(input, weight, input.count, 1e-5, &output)
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

func attend(
    _ kernels: phi_kernels,
    _ query: [Float],
    _ keys: [Float],
    _ values: [Float]
) -> [Float] {
    let keyCount = keys.count / query.count
    var scores = [Float](repeating: .nan, count: keyCount)
    var output = [Float](repeating: .nan, count: query.count)
    query.withUnsafeBufferPointer { query in
        keys.withUnsafeBufferPointer { keys in
            values.withUnsafeBufferPointer { values in
                scores.withUnsafeMutableBufferPointer { scores in
                    output.withUnsafeMutableBufferPointer { output in
                        var head = phi_attention_head(
                            query: query.baseAddress,
                            keys: keys.baseAddress,
                            values: values.baseAddress,
                            key_count: keyCount,
                            head_size: query.count,
                            scale: 0.3,
                            scores: scores.baseAddress,
                            output: output.baseAddress
                        )
                        kernels.attend(&head)
                    }
                }
            }
        }
    }
    return output
}

/// The instruction sets that this machine can run.
enum KernelTables {
    static let names: [String] = ["scalar", "avx2", "avx512vnni"].filter { (name: String) in
        phi_kernels_named(name) != nil
    }
}
