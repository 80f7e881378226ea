// Monitors the ledger: it must balance at every commit, whatever was killed before.

import ChatStore
import EventLoop
import Postgres

/// The monitor. Used on its event loop; it queries the database on a worker thread.
final class LedgerMonitor {
    private static let period = Duration.seconds(1)

    private let loop: EventLoop
    private let installation: Installation
    private let workers: WorkerPool
    private let tally: Tally
    private var isStopped = false
    /// The number of checks that found it balanced.
    private(set) var balancedCount = 0

    init(loop: EventLoop, installation: Installation, workers: WorkerPool, tally: Tally) {
        self.loop = loop
        self.installation = installation
        self.workers = workers
        self.tally = tally
    }

    func stop() { isStopped = true }

    /// Monitors until stopped.
    func run() async {
        let installation = installation
        var last = Duration.zero
        while !isStopped {
            // The ledger grows, and checking it must not dominate the load.
            try? await loop.sleep(for: max(Self.period, last * 4))
            let start = loop.now
            defer { last = loop.now - start }
            // While PostgreSQL is down nothing is committed.
            let findings = try? await workers.run {
                try Self.imbalances(installation.connect())
            }
            guard let findings else { continue }
            if findings.isEmpty { balancedCount += 1 }
            for finding in findings { tally.violation("the ledger: \(finding)") }
        }
    }

    /// The imbalances of the ledger.
    static func imbalances(_ database: BlockingConnection) throws -> [String] {
        try database.query(LedgerBalance.query, [.null, .int64(5)]).map { row in
            let problem = try row.decode("problem", as: String.self)
            return "\(problem): \(try row.decode("subject", as: String.self))"
        }
    }
}
