// Looks at the queue all the time: an answer whose node died must be somebody else's soon after its
// lease ran out.

import EventLoop
import Postgres

/// The monitor. Lives on its loop; it asks the database on a worker's thread.
final class LeaseMonitor {
    /// How long a lease may be over.
    static let limit = Duration.seconds(5)
    private static let period = Duration.milliseconds(250)
    private static let periodMax = Duration.seconds(1)

    private let loop: EventLoop
    private let installation: Installation
    private let workers: WorkerPool
    private let killer: Killer
    private let tally: Tally
    private var overdue: [String: Duration] = [:]

    /// An answer whose lease is over.
    private struct Overdue: Sendable {
        let message: String
        /// What else there is in the queue, for reports.
        let surroundings: String
    }
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
            let answers = try? await workers.run {
                let rows = try installation.connect().query(Self.query)
                return try rows.map { row in
                    Overdue(
                        message: try row.decode("message", as: String.self),
                        surroundings: try row.decode("surroundings", as: String.self)
                    )
                }
            }
            // A machine that stalls stalls the servers, too: of that time this is what may count.
            let passed = min(loop.now - last, Self.periodMax)
            last = loop.now
            // Time in which nobody was there to take the answer does not count.
            if let answers { note(answers, wasHealthy && killer.isHealthy ? passed : .zero) }
        }
    }

    private static let query = """
        SELECT g.message_id::text AS message, format('try %s, %s tries without a word; the queue has %s, of them \
        %s with an owner and %s of this conversation', g.tries, g.attempts, count(*),
            count(*) FILTER (WHERE o.lease_until >= now()),
            count(*) FILTER (WHERE o.lease_until >= now() AND o.conversation_id = g.conversation_id)) AS surroundings
        FROM generations g CROSS JOIN generations o
        WHERE g.lease_until < now() GROUP BY g.message_id, g.tries, g.attempts
        """

    private func note(_ answers: [Overdue], _ passed: Duration) {
        var now: [String: Duration] = [:]
        for answer in answers {
            let before = overdue[answer.message] ?? .zero
            let duration = before + passed
            now[answer.message] = duration
            tally.longestOverdue = max(tally.longestOverdue, duration)
            if before <= Self.limit, duration > Self.limit {
                tally.violation(
                    """
                    nobody took answer \(answer.message) in \(Self.limit) after its lease: \
                    \(answer.surroundings)
                    """
                )
            }
        }
        overdue = now
    }
}
