// Kills and restarts processes according to the plan.

import EventLoop

/// The killer. Used on its event loop; blocking work runs on a worker thread.
final class Killer {
    private let loop: EventLoop
    private let plan: Plan
    private let installation: Installation
    private let proxy: FaultyProxy
    private let workers: WorkerPool
    private let tally: Tally
    /// Whether PostgreSQL and at least one server are running.
    private(set) var isHealthy = true
    private(set) var isDone = false

    init(
        loop: EventLoop,
        plan: Plan,
        installation: Installation,
        proxy: FaultyProxy,
        workers: WorkerPool,
        tally: Tally
    ) {
        self.loop = loop
        self.plan = plan
        self.installation = installation
        self.proxy = proxy
        self.workers = workers
        self.tally = tally
    }

    /// Runs the plan's kills, one after the other.
    func run() async throws {
        for kill in plan.kills {
            guard kill.failover == nil || tally.acks < plan.sendCount else {
                // Without load there is nothing to lose.
                tally.count("failovers left out, since all was sent")
                continue
            }
            while tally.acks < kill.afterAcks { try await loop.sleep(for: .milliseconds(10)) }
            try await loop.sleep(for: kill.pause)
            try await perform(kill)
        }
        isDone = true
    }

    private func perform(_ kill: KillPlan) async throws {
        let installation = installation
        if let node = kill.node {
            tally.count("kills of a server")
            proxy.ports[node] = nil
            if proxy.ports.allSatisfy({ $0 == nil }) { isHealthy = false }
            try await workers.run { installation.killNode(node) }
        }
        if let how = kill.postgres {
            tally.count("kills of PostgreSQL")
            isHealthy = false
            try await workers.run { try installation.killPostgres(how) }
        }
        if let failover = kill.failover {
            isHealthy = false
            tally.beginFailover()
            do {
                let seen = try await workers.run { try installation.perform(failover) }
                tally.endFailover(failover.rawValue, seen, at: loop.now)
            } catch {
                // What was acknowledged is compared in any case.
                tally.violation("failover \(failover.rawValue): \(error)")
            }
        }
        try await loop.sleep(for: kill.down)
        if kill.postgres != nil {
            try await workers.run { try installation.restartPostgres() }
        }
        if let node = kill.node {
            proxy.ports[node] = try await workers.run { try installation.startNode(node) }
        }
        isHealthy = true
    }
}
