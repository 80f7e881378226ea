// Measures the costs of a site's parts on this machine: loads that differ in one thing each, in turns, so
// that other work on the machine disturbs all of them alike.

import Capacity
import EventLoop
import Inference

/// Loads, and the costs that explain them.
struct SiteMeasurement: Sendable {
    /// Rounds of all loads, and seconds of each load.
    var rounds = 3
    var seconds = 8.0
    /// Questions a second of loads with short answers, and words of long answers.
    var turnsPerSecond = 24.0
    var words = 80.0
    /// Groups of people, and people of each.
    var groups = 60
    var readers = 16
    /// Seconds in which an idle site is measured: connections are pinged every 25 s.
    var idleSeconds = 26.0

    /// What was measured, without the engine.
    struct Result: Sendable {
        var node = SiteCosts.Node()
        var database = SiteCosts.Database()
        /// The runs, by round.
        var rounds: [[MeasuredRun]] = []
    }

    /// A load in each column of a round.
    private var loads: [SiteLoad] {
        var short = SiteLoad(turnsPerSecond: turnsPerSecond, seconds: seconds)
        var long = short
        long.words = words
        // As many deltas as the processors of a small machine send to all readers.
        long.turnsPerSecond = turnsPerSecond / 3
        var asked = short
        asked.questionWords = 400
        var read = long
        read.readers = readers
        let alone = short
        var many = short
        many.turnsPerSecond *= 3
        // As many answers at once tell what each costs from what is merged.
        var crowded = long
        crowded.turnsPerSecond *= 3
        short.readers = readers
        return [alone, long, short, read, many, crowded, asked]
    }

    /// Loads where there are two nodes: readers on the same one, and on the other.
    private var pairLoads: [SiteLoad] {
        var beside = loads[3]
        beside.words = 1
        beside.readers = 1
        beside.turnsPerSecond = turnsPerSecond
        var remote = loads[3]
        remote.readersNode = 1
        return [beside, remote]
    }

    func run(_ loop: EventLoop) async throws -> Result {
        let servers = try SiteServers()
        defer { servers.end() }
        var result = Result()
        try servers.start(SitePace())
        let crowd = try SiteCrowd(loop, servers, groups: groups, readers: readers)
        defer { crowd.close() }
        try await measureIdle(crowd, &result)
        result.node.firstToken = try await firstToken(crowd)
        for round in 0..<rounds { result.rounds.append(try await runs(of: loads, crowd, round)) }
        try await countStatements(crowd, &result)
        try servers.start(SitePace())
        try await crowd.connect(toNode: 1)
        for round in 0..<rounds {
            // Before the long questions, which are the last.
            result.rounds[round].insert(
                contentsOf: try await runs(of: pairLoads, crowd, round),
                at: loads.count - 1
            )
        }
        try fit(&result)
        return result
    }

    private func runs(
        of loads: [SiteLoad],
        _ crowd: SiteCrowd,
        _ round: Int
    ) async throws -> [MeasuredRun] {
        var runs: [MeasuredRun] = []
        for (index, load) in loads.enumerated() {
            let run = SiteRun(crowd, load, seed: UInt64(round * loads.count + index))
            try await run.measure()
            runs.append(run.run)
        }
        return runs
    }

    // MARK: An idle site

    private func measureIdle(_ crowd: SiteCrowd, _ result: inout Result) async throws {
        let (loop, servers) = (crowd.loop, crowd.servers)
        let process = servers.nodes[0].process
        try await loop.sleep(for: .seconds(2))
        result.node.memory = Double(try ProcessMemory.proportional(of: process))
        let alone = try await usage(crowd, over: idleSeconds / 2)
        try await crowd.connect(toNode: 0)
        try await loop.sleep(for: .seconds(2))
        let count = Double(crowd.connectionCount)
        let memory = Double(try ProcessMemory.proportional(of: process))
        result.node.connectionMemory = max(0, memory - result.node.memory) / count
        let held = try await usage(crowd, over: idleSeconds)
        result.node.idle = alone.node
        result.node.connection = max(0, held.node - alone.node) / count
        result.database.idle = alone.database
        result.database.memory = try servers.databaseMemory()
    }

    /// Processors in use.
    private func usage(
        _ crowd: SiteCrowd,
        over seconds: Double
    ) async throws -> (node: Double, database: Double) {
        let before = try crowd.reading()
        try await crowd.loop.sleep(for: .seconds(seconds))
        let after = try crowd.reading()
        return (
            (after.nodeSeconds - before.nodeSeconds) / seconds,
            (after.databaseSeconds - before.databaseSeconds) / seconds
        )
    }

    /// The time to the first token without the engine's step, of questions that meet no others.
    private func firstToken(_ crowd: SiteCrowd) async throws -> Double {
        let run = SiteRun(crowd, SiteLoad(turnsPerSecond: 4, seconds: seconds), seed: 99)
        try await run.measure()
        return max(0, run.seen.firstTokens.median - Double(SitePace().step) / 1e6)
    }

    // MARK: Costs

    private func fit(_ result: inout Result) throws {
        let (node, database) = (result.node, result.database)
        let rounds = result.rounds
        let turns: [CostFit.Count] = [{ $0.turns }, { $0.promptTokens }, { $0.furtherReaders }]
        // All answers are the first node's.
        let busy: [CostFit.Count] = [{ $0.seconds }, { $0.turnsBeside }]
        let nodes = try known(
            CostFit.costs(
                rounds,
                of: turns + [{ $0.deltas }, { $0.deltaReaders }, { $0.remoteSeconds }] + busy,
                total: {
                    $0.nodeSeconds - $0.seconds
                        * ($0.nodes * node.idle + $0.connections * node.connection)
                }
            )
        )
        result.node.turn = nodes[0]
        result.node.promptToken = nodes[1]
        result.node.turnReader = nodes[2]
        result.node.delta = nodes[3]
        result.node.deltaReader = nodes[4]
        result.node.remoteAnswerSecond = nodes[5]
        result.node.busy = nodes[6]
        result.node.turnBeside = nodes[7]

        let growing: [CostFit.Count] = [{ $0.growingSeconds }, { $0.remoteSeconds }]
        let databases = try known(
            CostFit.costs(
                rounds,
                of: turns + growing + busy,
                total: { $0.databaseSeconds - $0.seconds * $0.nodes * database.idle }
            )
        )
        result.database.turn = databases[0]
        result.database.promptToken = databases[1]
        result.database.turnReader = databases[2]
        result.database.answerSecond = databases[3]
        result.database.remoteAnswerSecond = databases[4]
        result.database.busy = databases[5]
        result.database.turnBeside = databases[6]

        // The question's own text is written, too: not those with long ones.
        let wal = try known(
            CostFit.costs(
                rounds.map { Array($0.dropLast()) },
                of: [{ $0.turns }, { $0.furtherReaders }] + growing,
                total: { $0.walBytes }
            )
        )
        result.database.turnWAL = wal[0]
        result.database.turnReaderWAL = wal[1]
        result.database.answerSecondWAL = wal[2]
        result.database.remoteAnswerSecondWAL = wal[3]
    }

    private func known(_ costs: [Double]?) throws -> [Double] {
        guard let costs else { throw LoadError.unexpected("the runs do not tell costs apart") }
        return costs
    }

    // MARK: Statements

    /// Counts statements in PostgreSQL's log, in runs of their own: writing the log takes time.
    private func countStatements(_ crowd: SiteCrowd, _ result: inout Result) async throws {
        let servers = crowd.servers
        try servers.logStatements(true)
        try await crowd.loop.sleep(for: .seconds(1))
        var counted = servers.statements()
        func more() -> Double {
            let before = counted
            counted = servers.statements()
            return Double(counted - before)
        }
        try await crowd.loop.sleep(for: .seconds(seconds))
        let idle = more() / seconds
        var figures: [(run: MeasuredRun, statements: Double)] = []
        for load in loads[0...1] {
            let run = SiteRun(crowd, load, seed: 7)
            _ = more()
            try await run.measure()
            figures.append((run.run, more() - idle * run.run.seconds))
        }
        try servers.logStatements(false)
        let known = figures
        let solved = CostFit.costs(
            [known.map(\.run)],
            of: [{ $0.turns }, { $0.growingSeconds }],
            total: { run in known.first { $0.run == run }?.statements ?? 0 }
        )
        let statements = try self.known(solved)
        result.database.turnStatements = statements[0]
        result.database.answerSecondStatements = statements[1]
    }
}
