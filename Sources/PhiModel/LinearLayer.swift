// Linear layers: a product with weights and a bias.

import PhiKernels

/// A linear layer, whose rows are those of one or several matrices, one after the other: some
/// architectures store queries, keys and values apart.
struct LinearLayer: Sendable {
    /// At least one, all with the same number of columns.
    let matrices: [WeightMatrix]
    /// [rows], or empty.
    let bias: [Float]
    /// The number of outputs.
    let rows: Int
    /// Its number among the layers that adapters can change; nil if they cannot.
    let place: Int?

    init(_ matrices: [WeightMatrix], bias: [Float] = [], place: Int? = nil) {
        self.matrices = matrices
        self.bias = bias
        self.place = place
        rows = matrices.reduce(0) { $0 + $1.rows }
    }
}

/// The weights of a norm.
struct NormWeights: Sendable {
    /// [H]
    let weight: [Float]
    /// [H], or empty for RMSNorm.
    let bias: [Float]
}
