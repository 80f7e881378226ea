// The k likeliest tokens of a vocabulary without sorting it: a heap of k with the worst on top.

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
