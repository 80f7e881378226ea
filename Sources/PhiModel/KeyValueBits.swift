// The precision of cached keys and values.

import PhiKernels

/// The precision of cached keys and values, for kernels that round.
public enum KeyValueBits: String, Sendable, Hashable, CaseIterable {
    /// Numbers of 16 bits.
    case sixteen = "16"
    /// Numbers of 8 bits, with a scale for each head and position: nearly twice as many positions
    /// in the same memory.
    case eight = "8"

    /// The kernels' type for these numbers.
    var kernelType: phi_float_type {
        switch self {
        case .sixteen: PHI_FLOAT16
        case .eight: PHI_INT8
        }
    }
}
