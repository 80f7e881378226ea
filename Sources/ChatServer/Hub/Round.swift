// Polls many items in small groups.

/// Divides members into turns: each round includes every member that existed when it began.
package struct Round<Member> {
    /// Maximum turns per round, and minimum members per turn.
    private let turnCountMax: Int
    private let least: Int
    private var crowd: [Member] = []
    private var turn = 0
    private var turnCount = 0

    package init(turnCountMax: Int, least: Int) {
        self.turnCountMax = turnCountMax
        self.least = least
    }

    /// Whether the round is complete, so that the next call begins another one.
    package var isOver: Bool { turn == turnCount }

    /// The members of the next turn.
    /// - Parameter everybody: returns all members; called when a round begins.
    /// - Returns: the members, in their order.
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
