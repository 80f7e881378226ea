// The boxes of a site, and what is allowed to happen on them.

/// The boxes of a site.
public struct Site: Codable, Equatable, Sendable {
    /// Servers, each with one event loop for the chat.
    public var nodes: Int
    /// Engines, each with all of a model's weights.
    public var engines: Int
    /// Answers at once in each engine.
    public var slots: Int
    /// Processor cores of PostgreSQL.
    public var databaseCores: Int

    /// Creates a site.
    public init(nodes: Int, engines: Int, slots: Int, databaseCores: Int) {
        self.nodes = nodes
        self.engines = engines
        self.slots = slots
        self.databaseCores = databaseCores
    }
}

/// What a plan must keep.
public struct SiteGoals: Codable, Equatable, Sendable {
    /// The mean time to the first token, in seconds, at most.
    public var firstToken: Double
    /// Tokens a second that a reader of an answer gets, at least.
    public var tokensPerSecond: Double
    /// The share of a processor, or of an engine's turns, that is used at the busiest time, at most.
    public var utilization: Double
    /// Connections of a node, at most.
    public var connectionsPerNode: Double
    /// Nodes, at most.
    public var nodesMax: Int

    /// Goals, by default with room for what a mean does not show.
    public init(
        firstToken: Double = 2,
        tokensPerSecond: Double = 8,
        utilization: Double = 0.7,
        connectionsPerNode: Double = 20_000,
        nodesMax: Int = 200
    ) {
        self.firstToken = firstToken
        self.tokensPerSecond = tokensPerSecond
        self.utilization = utilization
        self.connectionsPerNode = connectionsPerNode
        self.nodesMax = nodesMax
    }
}

/// The parts of a site that may be its bottleneck.
public enum SitePart: String, Codable, CaseIterable, Sendable {
    /// The engines' turns a second.
    case engines
    /// The event loop of a node.
    case nodes
    /// PostgreSQL's processors.
    case database
    /// Connections of a node.
    case connections
}
