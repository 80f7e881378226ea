// Who uses a site, and how much.

/// A team's description.
public struct Team: Codable, Equatable, Sendable {
    /// People with the page or a program open, each with a connection.
    public var people: Double
    /// The share of them who ask at the busiest time.
    public var active: Double
    /// Turns of an active person in an hour.
    public var turnsPerHour: Double
    /// Tokens of a prompt, with the earlier turns.
    public var promptTokens: Double
    /// The share of a prompt's tokens that is in the engine's cache.
    public var cachedShare: Double
    /// Tokens of an answer, the mean.
    public var answerTokens: Double
    /// The squared coefficient of variation of an answer's length: 0 for equal lengths, 1 for those
    /// of an exponential distribution.
    public var answerVariation: Double
    /// Members of a conversation who watch an answer grow, the asker included.
    public var readers: Double

    /// A team, by default with turns as in `docs/run/capacity.md`.
    public init(
        people: Double,
        active: Double = 0.1,
        turnsPerHour: Double = 12,
        promptTokens: Double = 1000,
        cachedShare: Double = 0.5,
        answerTokens: Double = 300,
        answerVariation: Double = 1,
        readers: Double = 1
    ) {
        self.people = people
        self.active = active
        self.turnsPerHour = turnsPerHour
        self.promptTokens = promptTokens
        self.cachedShare = cachedShare
        self.answerTokens = answerTokens
        self.answerVariation = answerVariation
        self.readers = readers
    }

    /// Turns a second of all people.
    public var turnsPerSecond: Double { people * active * turnsPerHour / 3600 }

    /// Prompt tokens that an engine has to read for a turn.
    public var unreadTokens: Double { promptTokens * (1 - cachedShare) }

    /// The other nodes, of `nodes`, on which an answer has readers: each reader but the asker is on any
    /// node.
    public func remoteNodes(of nodes: Int) -> Double {
        guard nodes > 1, readers > 1 else { return 0 }
        return Double(nodes - 1) * (1 - power(1 - 1 / Double(nodes), readers - 1))
    }

    /// Readers of an answer on other nodes than the one that generates it.
    public func remoteReaders(of nodes: Int) -> Double {
        max(0, readers - 1) * (1 - 1 / Double(nodes))
    }
}
