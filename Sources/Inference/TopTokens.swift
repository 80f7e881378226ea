// Selects the likeliest tokens without sorting the vocabulary: top-k with a heap of the k best,
// top-p with a histogram of weights.

import Glibc

/// A row of the logits and its weight, 1 being the likeliest row's.
struct WeightedToken {
    let id: Int
    let weight: Float

    /// A strict order: equal weights are ordered by id, so that the result does not depend on the
    /// algorithm.
    func isLikelier(than other: WeightedToken) -> Bool {
        weight != other.weight ? weight > other.weight : id < other.id
    }
}

/// Converts logits to weights: 1 for the likeliest row, 0 for one without a finite number.
struct WeightScale {
    private let top: Float
    private let inverse: Float

    /// Creates a scale for the greatest finite logit, `top`.
    init(top: Float, temperature: Double) {
        self.top = top
        inverse = Float(1 / max(temperature, 1e-6))
    }

    /// A logit that is lower than another by more than this has no greater weight, despite
    /// rounding.
    var margin: Float { 1e-3 / inverse }

    func weight(of logit: Float) -> Float {
        // Rows above the best one are infinite; NaN fails the comparison too.
        guard logit <= top else { return 0 }
        let exponent = (logit - top) * inverse
        // Below this the weight is 0; computing that with `expf` is slow.
        return exponent < -104 ? 0 : expf(exponent)
    }
}

/// Collects the likeliest `limit` tokens; O(log limit) for an added token, one comparison for
/// others.
struct TopTokens {
    private let limit: Int
    /// A binary heap whose first element is the least likely; not sorted.
    private(set) var tokens: [WeightedToken] = []

    init(limit: Int) {
        precondition(limit > 0, "a selection of nothing")
        self.limit = limit
    }

    /// Whether a new token replaces another: `tokens[0]`, the least likely.
    var isFull: Bool { tokens.count == limit }

    mutating func offer(_ token: WeightedToken) {
        if tokens.count < limit {
            tokens.append(token)
            siftUp(from: tokens.count - 1)
        } else if token.isLikelier(than: tokens[0]) {
            tokens[0] = token
            siftDown()
        }
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard tokens[parent].isLikelier(than: tokens[child]) else { return }
            tokens.swapAt(parent, child)
            child = parent
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var worst = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < tokens.count {
                if tokens[worst].isLikelier(than: tokens[child]) { worst = child }
            }
            guard worst != parent else { return }
            tokens.swapAt(parent, worst)
            parent = worst
        }
    }
}

/// Nucleus sampling: the likeliest tokens with a total probability (Holtzman and others, 2019).
enum Nucleus {
    /// Weights are in classes by their upper bits, eight for each power of two.
    private static let shift: UInt32 = 20
    private static let classCount = Int(Float(1).bitPattern >> shift) + 1

    /// A lower bound of the weights of the likeliest `tokens` that together have `share`, which few
    /// others reach; 0 if all together have less.
    static func floor(of tokens: [WeightedToken], share: Double) -> Float {
        var sums = [Double](repeating: 0, count: classCount)
        for token in tokens { sums[Int(token.weight.bitPattern >> shift)] += Double(token.weight) }
        // Slightly more than the share, since the caller's sum is rounded differently.
        var rest = share * (1 + 1e-9)
        for index in sums.indices.reversed() {
            rest -= sums[index]
            if rest <= 0 { return Float(bitPattern: UInt32(index) << shift) }
        }
        return 0
    }
}
