// What notifications between nodes cost PostgreSQL: the figures of decision 7, and nothing between them but
// straight lines.

/// PostgreSQL's cost of LISTEN and NOTIFY.
public struct NotificationCost: Equatable, Sendable {
    /// Delays of an event in seconds.
    public struct Delay: Equatable, Sendable {
        /// The median.
        public let median: Double
        /// The 99th percentile.
        public let worst: Double
    }

    /// One measurement.
    private struct Point {
        let perSecond: Double
        let processors: Double
        let delay: Delay

        init(_ perSecond: Double, _ processors: Double, _ delay: Delay) {
            self.perSecond = perSecond
            self.processors = processors
            self.delay = delay
        }

        /// The point of the straight line to `other` at so many notifications.
        func towards(_ other: Point, at perSecond: Double) -> Point {
            mixed(other, (perSecond - self.perSecond) / (other.perSecond - self.perSecond))
        }

        func mixed(_ other: Point, _ share: Double) -> Point {
            func between(_ one: Double, _ other: Double) -> Double { one + (other - one) * share }
            return Point(
                between(perSecond, other.perSecond),
                between(processors, other.processors),
                Delay(
                    median: between(delay.median, other.delay.median),
                    worst: between(delay.worst, other.delay.worst)
                )
            )
        }
    }

    /// The measured points of 20 and of 60 nodes: docs/decisions/0007-notifications-between-nodes.md.
    private static let few = (
        nodes: 20,
        points: [
            Point(1600, 0.2, Delay(median: 0.0006, worst: 0.002)),
            Point(27_000, 1.0, Delay(median: 0.0017, worst: 0.005)),
            Point(69_000, 1.3, Delay(median: 0.004, worst: 0.009)),
        ]
    )
    private static let many = (
        nodes: 60,
        points: [
            Point(2300, 0.2, Delay(median: 0.0006, worst: 0.003)),
            Point(35_000, 1.4, Delay(median: 0.012, worst: 0.041)),
            Point(85_000, 1.4, Delay(median: 0.029, worst: 0.063)),
        ]
    )
    /// Times a second that a node that generates an answer notifies its other readers' nodes.
    static let textsPerSecond = 20.0

    /// Notifications that all nodes receive in a second.
    public let perSecond: Double
    /// PostgreSQL's processors for them.
    public let processors: Double
    /// How late events are.
    public let delay: Delay
    /// Whether so many nodes and notifications were measured; if not, the figures are those of the
    /// largest measurement.
    public let isMeasured: Bool

    /// The cost of a team's notifications.
    /// - Parameters:
    ///   - nodes: the number of nodes.
    ///   - turnsPerSecond: turns of all nodes.
    ///   - remoteNodes: other nodes with a reader of an answer, on average.
    ///   - answerSeconds: seconds in which an answer grows.
    public init(
        nodes: Int,
        turnsPerSecond: Double,
        remoteNodes: Double,
        answerSeconds: Double
    ) {
        // Two events of a turn and its texts, and one of the queue for all other nodes.
        let perTurn = remoteNodes * (2 + answerSeconds * Self.textsPerSecond) + Double(nodes - 1)
        self.init(nodes: nodes, perSecond: nodes > 1 ? turnsPerSecond * perTurn : 0)
    }

    /// The cost of so many notifications, received by so many nodes.
    init(nodes: Int, perSecond: Double) {
        let share = Double(nodes - Self.few.nodes) / Double(Self.many.nodes - Self.few.nodes)
        let point = Self.point(Self.few.points, perSecond)
            .mixed(Self.point(Self.many.points, perSecond), min(1, max(0, share)))
        let most = share < 1 ? Self.few.points : Self.many.points
        self.perSecond = perSecond
        processors = point.processors
        delay = point.delay
        isMeasured = nodes <= Self.many.nodes && perSecond <= (most.last?.perSecond ?? 0)
    }

    /// The straight line between two measured points; below the first one to nothing, after the last
    /// one its values.
    private static func point(_ points: [Point], _ perSecond: Double) -> Point {
        var earlier = Point(0, 0, Delay(median: 0, worst: 0))
        for point in points {
            if perSecond <= point.perSecond { return earlier.towards(point, at: perSecond) }
            earlier = point
        }
        return earlier
    }
}
