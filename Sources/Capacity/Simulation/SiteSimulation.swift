// A site of many nodes in steps of 50 ms, the time in which nodes exchange growing texts: questions at random
// times, readers on random nodes, and on each node and in PostgreSQL the work that they cost. What cannot be
// done within a step is done in the next one. It shows what sums of means do not: how uneven nodes are, and
// how long work waits.

/// A site under load, simulated.
public struct SiteSimulation: Sendable {
    /// Seconds of a step.
    static let step = 0.05
    /// Seconds that are simulated before anything is counted, so that answers of all ages grow.
    private static let warmUp = 60.0

    private let site: Site
    private let team: Team
    private let costs: SiteCosts
    private var engines: SimulatedEngines
    private var nodes: [Backlog]
    private var database: Backlog
    private var counted = SimulatedCounts()

    /// An idle site.
    public init(_ site: Site, team: Team, costs: SiteCosts) {
        self.site = site
        self.team = team
        self.costs = costs
        engines = SimulatedEngines(site, team: team, speed: costs.engine)
        nodes = Array(repeating: Backlog(), count: site.nodes)
        database = Backlog(cores: site.databaseCores)
    }

    /// Simulates a time.
    /// - Parameters:
    ///   - seconds: seconds that are counted, after those in which the load builds up.
    ///   - generator: the source of all chance; with the same one the figures are the same.
    /// - Returns: what happened.
    public mutating func run(
        seconds: Double,
        using generator: inout some RandomNumberGenerator
    ) -> SimulatedFigures {
        var time = 0.0
        while time < Self.warmUp + seconds {
            let isCounted = time >= Self.warmUp
            advance(to: time, isCounted: isCounted, &generator)
            time += Self.step
        }
        return counted.figures(nodes: site.nodes, seconds: seconds)
    }

    private mutating func advance(
        to time: Double,
        isCounted: Bool,
        _ generator: inout some RandomNumberGenerator
    ) {
        let step = Self.step
        let (node, database) = (costs.node, costs.database)
        let share = min(1, Double(engines.running.count) / Double(site.nodes))
        let idle =
            node.idle + share * node.busy + team.people / Double(site.nodes) * node.connection
        for index in nodes.indices { nodes[index].add(idle * step) }
        self.database.add(
            (database.idle + share * database.busy) * Double(site.nodes) * step
        )

        var notifications = 0
        let arrivals = generator.poisson(mean: team.turnsPerSecond * step)
        for _ in 0..<arrivals {
            notifications += ask(at: time, &generator)
        }
        let started = engines.start()
        for answer in engines.advance(by: step) { notifications += work(for: answer) }
        let ended = engines.removeEnded()
        for answer in ended { notifications += answer.remote.count }

        let perSecond = Double(notifications) / step
        let cost = NotificationCost(nodes: site.nodes, perSecond: site.nodes > 1 ? perSecond : 0)
        self.database.add(cost.processors * step)
        let use = self.database.work(for: step)
        for index in nodes.indices {
            let use = nodes[index].work(for: step)
            if isCounted { counted.node(index, used: use, delay: nodes[index].delay) }
        }
        guard isCounted else { return }
        counted.step(
            arrivals: arrivals,
            running: engines.running.count,
            waiting: engines.waitingCount,
            database: use / step,
            databaseDelay: self.database.delay,
            notifications: cost
        )
        for answer in started {
            let behind = 2 * nodes[answer.home].delay + self.database.delay
            let wait = time - answer.askedAt + step / 2
            counted.firstTokens.append(
                costs.node.firstToken + behind + wait + engines.readSeconds
            )
        }
    }

    /// A question on a random node, with readers on others.
    /// - Returns: its notifications.
    private mutating func ask(
        at time: Double,
        _ generator: inout some RandomNumberGenerator
    ) -> Int {
        let home = Int.random(in: nodes.indices, using: &generator)
        var readers: [Int: Int] = [home: 1]
        for _ in 0..<max(0, Int(team.readers.rounded()) - 1) {
            readers[Int.random(in: nodes.indices, using: &generator), default: 0] += 1
        }
        let others = Double(max(0, Int(team.readers.rounded()) - 1))
        let (node, database) = (costs.node, costs.database)
        nodes[home].add(
            node.turn + team.promptTokens * node.promptToken + others * node.turnReader
        )
        if nodes.count > 1 {
            nodes[home].add(node.turnBeside)
            self.database.add(database.turnBeside)
        }
        self.database.add(
            database.turn + team.promptTokens * database.promptToken
                + others * database.turnReader
        )
        let answer = SimulatedAnswer(
            home: home,
            readers: readers[home] ?? 1,
            remote: readers.filter { $0.key != home }.sorted { $0.key < $1.key }
                .map { .init(node: $0.key, readers: $0.value) },
            askedAt: time,
            unread: engines.promptTokens,
            tokens: team.answerVariation > 0
                ? max(1, generator.exponential(mean: team.answerTokens)) : team.answerTokens
        )
        engines.ask(answer)
        // The question's event to its readers' nodes, and that of the queue to all.
        return answer.remote.count + nodes.count - 1
    }

    /// The work of an answer that has grown.
    /// - Returns: its notifications.
    private mutating func work(for growth: SimulatedEngines.Growth) -> Int {
        let (node, answer) = (costs.node, growth.answer)
        let others = answer.remote
        nodes[answer.home].add(
            growth.deltas * (node.delta + Double(answer.readers) * node.deltaReader)
        )
        database.add(growth.seconds * costs.database.answerSecond)
        for other in others {
            // Half of the measured cost arises where the answer is generated.
            let work = growth.seconds * node.remoteAnswerSecond / 2
            nodes[answer.home].add(work)
            nodes[other.node].add(
                work + min(1, growth.deltas) * Double(other.readers) * node.deltaReader
            )
            database.add(growth.seconds * costs.database.remoteAnswerSecond)
        }
        return others.count
    }
}

/// Work that is done in order by a number of cores.
struct Backlog: Sendable {
    private let cores: Double
    private var seconds = 0.0

    init(cores: Int = 1) { self.cores = Double(cores) }

    /// Adds seconds of processor time.
    mutating func add(_ work: Double) { seconds += work }

    /// Works for a time.
    /// - Returns: seconds of processor time that were used.
    mutating func work(for time: Double) -> Double {
        let used = min(seconds, time * cores)
        seconds -= used
        return used
    }

    /// Seconds until what comes now is done.
    var delay: Double { seconds / cores }
}
