// MLX has one random number generator for the process; here each generation has its own, and takes its
// seed from this one if the program has set it.

import Inference
import Synchronization

/// The seeds of generations without one of their own.
final class RandomSeeds: Sendable {
    static let shared = RandomSeeds()

    private let generator = Mutex<SplitMix64?>(nil)

    /// The next seed; nil as long as the program has set none.
    func next() -> UInt64? { generator.withLock { $0?.next() } }

    /// Makes the seeds follow from `seed`.
    func start(from seed: UInt64) { generator.withLock { $0 = SplitMix64(seed: seed) } }
}

/// The process's random numbers, as far as generations use them.
public enum MLXRandom {
    /// Makes generations without a seed of their own repeatable: the same seed, and the same
    /// generations in the same order, give the same answers.
    public static func seed(_ seed: UInt64) { RandomSeeds.shared.start(from: seed) }
}
