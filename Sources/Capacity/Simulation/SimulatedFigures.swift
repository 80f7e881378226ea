// What a simulation showed.

/// The figures of a simulated site.
public struct SimulatedFigures: Codable, Equatable, Sendable {
    /// A value's distribution.
    public struct Distribution: Codable, Equatable, Sendable {
        /// The median.
        public let median: Double
        /// The 99th percentile.
        public let hundredth: Double

        init(_ values: [Double]) {
            let sorted = values.sorted()
            func value(_ share: Double) -> Double {
                guard !sorted.isEmpty else { return 0 }
                return sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
            }
            median = value(0.5)
            hundredth = value(0.99)
        }
    }

    /// Turns a minute that were asked.
    public let turnsPerMinute: Double
    /// The mean of processors that a node used, and that of the busiest node.
    public let nodeProcessors: Double
    /// See `nodeProcessors`.
    public let busiestNodeProcessors: Double
    /// Seconds that work waited on nodes.
    public let nodeDelay: Distribution
    /// PostgreSQL's processors, in steps of 50 ms, with those of notifications.
    public let databaseProcessors: Distribution
    /// Seconds that work waited in PostgreSQL.
    public let databaseDelay: Distribution
    /// Notifications that all nodes received in a second, and PostgreSQL's processors for them.
    public let notificationsPerSecond: Double
    /// See `notificationsPerSecond`.
    public let notificationProcessors: Double
    /// Whether so many notifications were measured.
    public let notificationsAreMeasured: Bool
    /// The mean number of answers in the engines, and the most that waited for a slot.
    public let running: Double
    /// See `running`.
    public let waitingMax: Int
    /// Seconds to the first token.
    public let firstToken: Distribution
}

/// What is counted while a simulation runs.
struct SimulatedCounts: Sendable {
    var firstTokens: [Double] = []
    private var arrivals = 0
    private var running = 0
    private var steps = 0
    private var waitingMax = 0
    private var nodeUse: [Double] = []
    private var nodeDelays: [Double] = []
    private var database: [Double] = []
    private var databaseDelays: [Double] = []
    private var notifications = 0.0
    private var notificationProcessors = 0.0
    private var unmeasured = 0

    mutating func node(_ index: Int, used: Double, delay: Double) {
        while nodeUse.count <= index { nodeUse.append(0) }
        nodeUse[index] += used
        nodeDelays.append(delay)
    }

    mutating func step(
        arrivals: Int,
        running: Int,
        waiting: Int,
        database: Double,
        databaseDelay: Double,
        notifications: NotificationCost
    ) {
        steps += 1
        self.arrivals += arrivals
        self.running += running
        waitingMax = max(waitingMax, waiting)
        self.database.append(database)
        databaseDelays.append(databaseDelay)
        self.notifications += notifications.perSecond
        notificationProcessors += notifications.processors
        if !notifications.isMeasured { unmeasured += 1 }
    }

    func figures(nodes: Int, seconds: Double) -> SimulatedFigures {
        let steps = Double(max(1, steps))
        return SimulatedFigures(
            turnsPerMinute: Double(arrivals) / seconds * 60,
            nodeProcessors: nodeUse.reduce(0, +) / Double(nodes) / seconds,
            busiestNodeProcessors: (nodeUse.max() ?? 0) / seconds,
            nodeDelay: .init(nodeDelays),
            databaseProcessors: .init(database),
            databaseDelay: .init(databaseDelays),
            notificationsPerSecond: notifications / steps,
            notificationProcessors: notificationProcessors / steps,
            notificationsAreMeasured: Double(unmeasured) <= steps * 0.01,
            running: Double(running) / steps,
            waitingMax: waitingMax,
            firstToken: .init(firstTokens)
        )
    }
}
