// The likeliest tokens of a vocabulary without sorting it: the first k by a heap of k with the
// worst on top, those of a share by counting weights by their size.

import Glibc

/// A row of the logits and its weight, 1 being the likeliest row's.
struct WeightedToken {
    let id: Int
    let weight: Float

    /// A strict order: equal weights go by id, lowest first, so that results do not depend on the
    /// way a selection is made.
    func isLikelier(than other: WeightedToken) -> Bool {
        weight != other.weight ? weight > other.weight : id < other.id
    }
}

/// From logits to weights: 1 for the likeliest row, 0 for one that holds no finite number.
struct WeightScale {
    private let top: Float
    private let inverse: Float

    /// Weights beside the greatest finite logit, `top`.
    init(top: Float, temperature: Double) {
        self.top = top
        inverse = Float(1 / max(temperature, 1e-6))
    }

    /// A logit that is lower than another by more than this has no greater weight, however both are
    /// rounded.
    var margin: Float { 1e-3 / inverse }

    func weight(of logit: Float) -> Float {
        // Rows above the best one are infinite; not-a-number fails the comparison too.
        guard logit <= top else { return 0 }
        let exponent = (logit - top) * inverse
        // Below this a weight is 0, which `expf` takes long to find out.
        return exponent < -104 ? 0 : expf(exponent)
    }
}

/// Collects the likeliest `limit` of the tokens that it is offered; O(log limit) for one that gets
/// in, one comparison for one that does not.
struct TopTokens {
    private let limit: Int
    /// In no useful order for callers: a binary heap whose first element is the least likely.
    private(set) var tokens: [WeightedToken] = []

    init(limit: Int) {
        precondition(limit > 0, "a selection of nothing")
        self.limit = limit
    }

    /// Whether a token gets in only in the place of another: `tokens[0]`, the least likely.
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

/// The likeliest tokens that together have a share (Holtzman and others, 2019).
enum Nucleus {
    /// Weights from 0 to 1 fall into classes by their upper bits, eight for each power of two.
    private static let shift: UInt32 = 20
    private static let classCount = Int(Float(1).bitPattern >> shift) + 1

    /// A weight that all of the likeliest `tokens` reach which together have `share`, and few of the
    /// others; 0 where all together have less.
    static func floor(of tokens: [WeightedToken], share: Double) -> Float {
        var sums = [Double](repeating: 0, count: classCount)
        for token in tokens { sums[Int(token.weight.bitPattern >> shift)] += Double(token.weight) }
        // A little more than the share: the caller's sum is rounded otherwise.
        var rest = share * (1 + 1e-9)
        for index in sums.indices.reversed() {
            rest -= sums[index]
            if rest <= 0 { return Float(bitPattern: UInt32(index) << shift) }
        }
        return 0
    }
}
