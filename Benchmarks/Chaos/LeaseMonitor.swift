// Looks at the queue all the time: an answer whose node died must be somebody else's soon after its
// lease ran out.

import EventLoop
import Postgres

/// The monitor. Lives on its loop; it asks the database on a worker's thread.
final class LeaseMonitor {
    /// How long a lease may be over.
    static let limit = Duration.seconds(5)
    private static let period = Duration.milliseconds(250)

    private let loop: EventLoop
    private let installation: Installation
    private let workers: WorkerPool
    private let killer: Killer
    private let tally: Tally
    private var overdue: [String: Duration] = [:]
    private var isStopped = false

    init(
        loop: EventLoop,
        installation: Installation,
        workers: WorkerPool,
        killer: Killer,
        tally: Tally
    ) {
        self.loop = loop
        self.installation = installation
        self.workers = workers
        self.killer = killer
        self.tally = tally
    }

    func stop() { isStopped = true }

    /// Looks until stopped.
    func run() async {
        let installation = installation
        var last = loop.now
        while !isStopped {
            try? await loop.sleep(for: Self.period)
            let wasHealthy = killer.isHealthy
            let messages = try? await workers.run {
                let rows = try installation.connect().query(
                    "SELECT message_id::text FROM generations WHERE lease_until < now()"
                )
                return try rows.map { try $0.decode(0, as: String.self) }
            }
            let passed = loop.now - last
            last = loop.now
            // Time in which nobody was there to take the answer does not count.
            if let messages { note(messages, wasHealthy && killer.isHealthy ? passed : .zero) }
        }
    }

    private func note(_ messages: [String], _ passed: Duration) {
        var now: [String: Duration] = [:]
        for message in messages {
            let before = overdue[message] ?? .zero
            let duration = before + passed
            now[message] = duration
            tally.longestOverdue = max(tally.longestOverdue, duration)
            if before <= Self.limit, duration > Self.limit {
                tally.breach("nobody took answer \(message) in \(Self.limit) after its lease")
            }
        }
        overdue = now
    }
}
