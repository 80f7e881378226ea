// The angles of the rotary embedding.

import Checkpoints
import Glibc

/// The rotary frequencies of a model, for each factor set that it has.
struct RopeFrequencies: Sendable {
    /// The numbers of a factor set.
    private struct FactorSet {
        /// Radians per position for each rotated pair, `rotaryDimensions / 2` of them.
        let frequencies: [Double]
        /// Multiplies the rotated elements.
        let magnitude: Double
    }

    private let sets: [RopeFactors: FactorSet]

    init(_ configuration: ModelConfiguration) {
        let dimensions = configuration.rotaryDimensions
        let plain = (0..<dimensions / 2).map { index in
            1 / pow(configuration.ropeBase, Double(2 * index) / Double(dimensions))
        }
        guard let scaling = configuration.ropeScaling else {
            sets = [.plain: FactorSet(frequencies: plain, magnitude: 1)]
            return
        }
        sets = [
            .short: FactorSet(
                frequencies: zip(plain, scaling.shortFactors).map(/),
                magnitude: scaling.shortMagnitude
            ),
            .long: FactorSet(
                frequencies: zip(plain, scaling.longFactors).map(/),
                magnitude: scaling.longMagnitude
            ),
        ]
    }

    /// Whether the model can rotate with `factors`.
    func has(_ factors: RopeFactors) -> Bool { sets[factors] != nil }

    /// Writes the cosines and sines of `position`, times the magnitude, one of each per pair.
    ///
    /// In double: at position 100,000 a float's angle would have an error of half a hundredth.
    func write(
        position: Int,
        factors: RopeFactors,
        cosines: UnsafeMutablePointer<Float>,
        sines: UnsafeMutablePointer<Float>
    ) {
        guard let set = sets[factors] else {
            preconditionFailure("a cache of a factor set that the model does not have")
        }
        for (index, frequency) in set.frequencies.enumerated() {
            let angle = Double(position) * frequency
            cosines[index] = Float(cos(angle) * set.magnitude)
            sines[index] = Float(sin(angle) * set.magnitude)
        }
    }
}
