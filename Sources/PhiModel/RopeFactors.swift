// The rotary embedding: which of LongRoPE's two factor sets, and the angles of a position.

import Checkpoints
import Glibc

/// Which of LongRoPE's factor sets rotates a sequence's queries and keys.
///
/// Keys rotated with one set mean nothing to queries rotated with the other, so a cache keeps the
/// set that it was made with. transformers uses the short set while a sequence is within the
/// original context and the long one for all positions of a longer one; mlx-lm always uses the long
/// set. Models without LongRoPE ignore the choice.
public enum RopeFactors: Sendable, Equatable, Hashable {
    /// The set for sequences within the original context.
    case short
    /// The set for longer sequences.
    case long
    /// Short where the cache's capacity is within the original context, else long.
    case automatic
}

/// The rotary frequencies of a model, for both factor sets.
struct RopeFrequencies: Sendable {
    /// Radians per position for each rotated pair, `rotaryDimensions / 2` of them.
    let short: [Double]
    let long: [Double]
    /// Multiplies the rotated elements.
    let magnitude: Double

    init(_ configuration: ModelConfiguration) {
        let dimensions = configuration.rotaryDimensions
        let plain = (0..<dimensions / 2).map { index in
            1 / pow(configuration.ropeBase, Double(2 * index) / Double(dimensions))
        }
        let scaling = configuration.ropeScaling
        short = scaling.map { zip(plain, $0.shortFactors).map(/) } ?? plain
        long = scaling.map { zip(plain, $0.longFactors).map(/) } ?? plain
        magnitude = scaling?.magnitude ?? 1
    }

    /// Writes the cosines and sines of `position`, times the magnitude, one of each per pair.
    ///
    /// In double: at position 100,000 a float's angle would be off by half a hundredth.
    func write(
        position: Int,
        factors: RopeFactors,
        cosines: UnsafeMutablePointer<Float>,
        sines: UnsafeMutablePointer<Float>
    ) {
        let frequencies = factors == .short ? short : long
        for (index, frequency) in frequencies.enumerated() {
            let angle = Double(position) * frequency
            cosines[index] = Float(cos(angle) * magnitude)
            sines[index] = Float(sin(angle) * magnitude)
        }
    }
}
