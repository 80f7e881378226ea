// Looking at all of a crowd without ever looking at many of them at once.

/// Takes a crowd in turns: in a round everybody has one, who was there when it began.
package struct Round<Member> {
    /// The most turns of a round, and how many a turn takes at least where there are so many.
    private let turnCountMax: Int
    private let least: Int
    private var crowd: [Member] = []
    private var turn = 0
    private var turnCount = 0

    package init(turnCountMax: Int, least: Int) {
        self.turnCountMax = turnCountMax
        self.least = least
    }

    /// Whether everybody had their turn, so that another round begins with the next one.
    package var isOver: Bool { turn == turnCount }

    /// Those whose turn it is.
    /// - Parameter everybody: asked for where a round begins.
    /// - Returns: some of them, in their order.
    package mutating func next(of everybody: () -> [Member]) -> ArraySlice<Member> {
        if isOver {
            crowd = everybody()
            turn = 0
            turnCount = max(1, min(turnCountMax, crowd.count / least))
        }
        let start = crowd.count * turn / turnCount
        turn += 1
        return crowd[start..<(crowd.count * turn / turnCount)]
    }
}
