// A run, from starting the processes to the verdict.

import ChatClient
import ChatProtocol
import EventLoop
import Glibc
import HTTPProtocol
import Postgres

/// The result of a run.
struct Verdict: Sendable {
    var counts: [(name: String, value: String)] = []
    var violations: [String] = []
    var violationCount = 0
}

/// One run. Used on its event loop.
final class ChaosRun {
    /// Maximum time for the system to become idle after the last message.
    private static let quietLimit = Duration.seconds(90)

    private let loop: EventLoop
    private let plan: Plan
    private let workers: WorkerPool
    private let tally = Tally()
    private let isVerbose: Bool

    init(loop: EventLoop, plan: Plan, isVerbose: Bool) throws {
        self.loop = loop
        self.plan = plan
        self.isVerbose = isVerbose
        tally.isVerbose = isVerbose
        workers = try WorkerPool(name: "chaos", threads: 4, queueLimit: 64)
    }

    /// Runs the plan.
    func perform(_ settings: Installation.Settings) async throws -> Verdict {
        let start = loop.now
        let installation = try await workers.run { [plan] in
            try Installation(settings, seed: plan.seed)
        }
        do {
            let verdict = try await perform(on: installation, since: start)
            if verdict.violationCount > 0 { installation.keepFolder() }
            return verdict
        } catch {
            installation.keepFolder()
            throw error
        }
    }

    private func perform(
        on installation: Installation,
        since start: ContinuousClock.Instant
    ) async throws -> Verdict {
        let proxy = try FaultyProxy(
            loop: loop,
            seed: plan.seed,
            nodes: plan.nodeCount,
            tally: tally
        )
        for node in 0..<plan.nodeCount {
            proxy.ports[node] = try await workers.run { try installation.startNode(node) }
        }
        let names = (0..<Plan.userCount).map { "person\($0)" }
        let tokens = try await workers.run { try installation.addUsers(names) }
        let killer = Killer(
            loop: loop,
            plan: plan,
            installation: installation,
            proxy: proxy,
            workers: workers,
            tally: tally
        )
        let monitor = LeaseMonitor(
            loop: loop,
            installation: installation,
            workers: workers,
            killer: killer,
            tally: tally
        )
        let ledger = LedgerMonitor(
            loop: loop,
            installation: installation,
            workers: workers,
            tally: tally
        )
        let vacuuming = Vacuuming(loop: loop, installation: installation, workers: workers)
        let workload = Workload(
            loop: loop,
            plan: plan,
            server: HTTPOrigin(host: "127.0.0.1", port: proxy.port),
            usesEngines: !installation.engines.isEmpty,
            users: zip(names, tokens).map { ($0, $1) },
            tally: tally
        )
        let prepared = loop.now
        let killing = spawnKiller(killer)
        loop.spawn { await monitor.run() }
        loop.spawn { await ledger.run() }
        loop.spawn { await vacuuming.run() }
        if isVerbose { printProgress() }
        await workload.play()
        try await killing.value(cancelled: {})
        let played = loop.now
        proxy.isFaulty = false
        try await waitForQuiet(installation)
        monitor.stop()
        ledger.stop()
        vacuuming.stop()
        tally.count("times that the ledger balanced", ledger.balancedCount)
        workload.close()
        proxy.close()
        try await stopNodes(installation)
        count(installation.engines)
        return try await verdict(
            installation,
            workload.record,
            timings: (prepared - start, played - prepared, loop.now - played)
        )
    }

    private func spawnKiller(_ killer: Killer) -> LoopPromise<Void, any Error> {
        let done = LoopPromise<Void, any Error>(loop)
        loop.spawn {
            do {
                try await killer.run()
                done.succeed(())
            } catch {
                done.fail(error)
            }
        }
        return done
    }

    /// Waits until the queue of runs is empty.
    private func waitForQuiet(_ installation: Installation) async throws {
        let deadline = loop.now + Self.quietLimit
        while loop.now < deadline {
            let count = try? await workers.run {
                let rows = try installation.connect().query("SELECT count(*) FROM generations")
                return try rows.first?.decode(as: Int64.self)
            }
            if count == 0 { return }
            try await loop.sleep(for: .milliseconds(100))
        }
        tally.violation("the queue is not empty after \(Self.quietLimit) in peace")
    }

    private func stopNodes(_ installation: Installation) async throws {
        for node in 0..<plan.nodeCount {
            let status = try await workers.run { installation.stopNode(node) }
            if status != 0 { tally.violation("node \(node) ended with \(status)") }
        }
    }

    private func count(_ engines: [FaultyEngine]) {
        for engine in engines {
            for (name, value) in engine.counts { tally.count(name, value) }
            if engine.strangerCount > 0 {
                tally.violation(
                    "an engine was asked \(engine.strangerCount) times to go on with another's text"
                )
            }
        }
    }

    private func printProgress() {
        loop.schedule(after: .seconds(10)) { [weak self] in
            guard let self, tally.acks < plan.sendCount else { return }
            let kills = tally.counts.filter { $0.name.hasPrefix("kills") }.map(\.value)
            print(
                "… \(tally.acks) sends, \(kills.reduce(0, +)) kills, \(tally.violationCount) violations"
            )
            printProgress()
        }
    }

    // MARK: The verdict

    private func verdict(
        _ installation: Installation,
        _ record: Record,
        timings: (prepare: Duration, play: Duration, end: Duration)
    ) async throws -> Verdict {
        let turns = plan.conversations.flatMap(\.turns)
        let texts = Dictionary(uniqueKeysWithValues: turns.map { ($0.index, $0.text) })
        let check = try await workers.run {
            var check = DatabaseCheck(try installation.connect(), record)
            try check.run(texts: texts)
            return (violations: check.violations, counts: check.counts)
        }
        var verdict = Verdict()
        verdict.counts = [
            ("seed", "\(plan.seed)"), ("servers", "\(plan.nodeCount)"),
            ("sends acknowledged", "\(tally.acks) of \(plan.sendCount)"),
        ]
        for (kind, seen) in tally.failovers.sorted(by: { $0.key < $1.key }) {
            verdict.counts.append(
                (
                    "failovers (\(kind)), longest without an acknowledgement",
                    "\(seen.count), \(seen.longest.inTenths) s"
                )
            )
        }
        verdict.counts += (tally.counts + check.counts).map { ($0.name, "\($0.value)") }
        let rate = Double(tally.acks) / max(0.001, timings.play / .seconds(1))
        verdict.counts += [
            ("turns a second", "\((rate * 10).rounded() / 10)"),
            ("longest wait for the ends of answers", "\(tally.longestEnd.inTenths) s"),
            ("longest wait for an acknowledgement", "\(tally.longestAck.inTenths) s"),
            ("longest without an owner, a slot being free", "\(tally.longestOverdue.inTenths) s"),
            ("longest without an owner", "\(tally.longestWithoutOwner.inTenths) s"),
            (
                "time to start, to play, to end",
                """
                \(timings.prepare.inTenths), \(timings.play.inTenths), \(timings.end.inTenths) s
                """
            ),
        ]
        verdict.violations = tally.violations + check.violations.prefix(Tally.violationsKept)
        verdict.violationCount = tally.violationCount + check.violations.count
        if verdict.violationCount > 0 { verdict.counts.append(("folder", installation.folder)) }
        return verdict
    }
}

extension Duration {
    /// Seconds with one decimal digit.
    fileprivate var inTenths: Double { (self / .milliseconds(100)).rounded() / 10 }
}
