// What happens on given boxes under a given load: sums of measured costs, and the queue of the engines.

/// The expected load of a site's parts, and what its people see.
public struct SiteForecast: Equatable, Sendable {
    /// Turns a second.
    public let turnsPerSecond: Double
    /// The queue in front of the engines.
    public let queue: EngineQueue
    /// Seconds in which an answer grows.
    public let answerSeconds: Double
    /// Answers that grow at the same time.
    public let growing: Double
    /// Deltas a second of all answers, each counted once.
    public let deltasPerSecond: Double
    /// Other nodes with a reader of an answer, on average.
    public let remoteNodes: Double
    /// Processors that each node uses.
    public let nodeProcessors: Double
    /// Processors that PostgreSQL uses, with those of notifications.
    public let databaseProcessors: Double
    /// What notifications cost PostgreSQL.
    public let notifications: NotificationCost
    /// Statements a second.
    public let statementsPerSecond: Double
    /// Bytes of WAL a second.
    public let walPerSecond: Double
    /// Bytes of memory of each node, of PostgreSQL, and of each engine.
    public let memory: Memory
    /// Connections of each node.
    public let connectionsPerNode: Double
    /// The mean time from a question to its first token, in seconds.
    public let firstToken: Double
    /// The time to the first token, in seconds, that one of ten questions exceeds, and one of a hundred.
    public let firstTokenTail: Tail
    /// Tokens a second that a reader of an answer gets.
    public let tokensPerSecond: Double

    /// Bytes of memory.
    public struct Memory: Codable, Equatable, Sendable {
        /// Of each node.
        public let node: Double
        /// Of PostgreSQL, without the system's cache of its files.
        public let database: Double
        /// Of each engine: weights, keys and values.
        public let engine: Double
    }

    /// Times to the first token, in seconds.
    public struct Tail: Equatable, Sendable {
        /// What one of ten questions exceeds.
        public let tenth: Double
        /// What one of a hundred exceeds.
        public let hundredth: Double
    }

    /// A node merges the text of this time into one delta: `ConversationHub`.
    static let mergeSeconds = 0.025

    /// Computes the load.
    /// - Parameters:
    ///   - site: the boxes.
    ///   - team: who asks how much.
    ///   - costs: what it costs.
    public init(_ site: Site, team: Team, costs: SiteCosts) {
        let queue = EngineQueue(
            speed: costs.engine,
            engines: site.engines,
            slots: site.slots,
            load: EngineQueue.Load(
                turnsPerSecond: team.turnsPerSecond,
                promptTokens: team.unreadTokens,
                answerTokens: team.answerTokens,
                answerVariation: team.answerVariation
            )
        )
        // Overloaded engines end no more turns than they can.
        let turns = team.turnsPerSecond / max(1, queue.utilization)
        let (node, database) = (costs.node, costs.database)
        let seconds = max(0, team.answerTokens - 1) * queue.stepSeconds
        let growing = turns * seconds
        let deltas =
            turns * (1 + min(max(0, team.answerTokens - 1), seconds / Self.mergeSeconds))
        let (nodes, readers) = (Double(site.nodes), max(1, team.readers))
        let remote = team.remoteNodes(of: site.nodes)

        // How often at least one answer is under way on a node.
        let busy = 1 - exponential(-turns * (1 + seconds) / nodes)
        var work = nodes * (node.idle + busy * node.busy) + team.people * node.connection
        work += turns * (node.turn + team.promptTokens * node.promptToken)
        work += turns * (readers - 1) * node.turnReader
        if site.nodes > 1 { work += turns * node.turnBeside }
        let away = team.remoteReaders(of: site.nodes)
        work += deltas * (node.delta + (readers - away) * node.deltaReader)
        // Texts of other nodes are read at most twenty times a second.
        let texts = min(deltas, growing * NotificationCost.textsPerSecond)
        work += growing * remote * node.remoteAnswerSecond + texts * away * node.deltaReader
        nodeProcessors = work / nodes

        notifications = NotificationCost(
            nodes: site.nodes,
            turnsPerSecond: turns,
            remoteNodes: remote,
            answerSeconds: seconds
        )
        var use = nodes * (database.idle + busy * database.busy)
        use += turns * (database.turn + team.promptTokens * database.promptToken)
        use += turns * (readers - 1) * database.turnReader
        if site.nodes > 1 { use += turns * database.turnBeside }
        use += growing * (database.answerSecond + remote * database.remoteAnswerSecond)
        databaseProcessors = use + notifications.processors
        statementsPerSecond =
            turns * database.turnStatements + growing * database.answerSecondStatements
        walPerSecond =
            turns * (database.turnWAL + (readers - 1) * database.turnReaderWAL)
            + growing * (database.answerSecondWAL + remote * database.remoteAnswerSecondWAL)

        connectionsPerNode = team.people / nodes
        let context = team.promptTokens + team.answerTokens
        memory = Memory(
            node: node.memory + connectionsPerNode * node.connectionMemory,
            database: database.memory * nodes,
            engine: costs.engine.weightMemory
                + Double(site.slots) * context * costs.engine.contextTokenMemory
        )
        // The loop of a node and PostgreSQL work on other turns, too.
        let used = max(nodeProcessors, databaseProcessors / Double(site.databaseCores))
        let server = node.firstToken / max(0.01, 1 - used)
        let read = server + queue.readSeconds
        firstToken = read + queue.meanWait
        firstTokenTail = Tail(
            tenth: read + queue.wait(exceededBy: 0.1),
            hundredth: read + queue.wait(exceededBy: 0.01)
        )
        tokensPerSecond = 1 / queue.stepSeconds
        turnsPerSecond = turns
        self.queue = queue
        answerSeconds = seconds
        self.growing = growing
        deltasPerSecond = deltas
        remoteNodes = remote
    }

    /// How much of each part is used, as a share of what `goals` allow: the part with the largest share
    /// is the one that ends first when the team grows.
    public func shares(_ site: Site, goals: SiteGoals) -> [SitePart: Double] {
        [
            .engines: queue.utilization / goals.utilization,
            .nodes: nodeProcessors / goals.utilization,
            .database: databaseProcessors / Double(site.databaseCores) / goals.utilization,
            .connections: connectionsPerNode / goals.connectionsPerNode,
        ]
    }

    /// The part that ends first when the team grows.
    public func bottleneck(_ site: Site, goals: SiteGoals) -> SitePart {
        let shares = shares(site, goals: goals)
        return SitePart.allCases.max { (shares[$0] ?? 0) < (shares[$1] ?? 0) } ?? .engines
    }
}
