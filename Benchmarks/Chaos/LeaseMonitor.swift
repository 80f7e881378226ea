// Monitors the queue: another node must take over a run soon after its node died and the lease expired, if it has
// a free slot.

import EventLoop
import Postgres

/// The monitor. Used on its event loop; it queries the database on a worker thread.
final class LeaseMonitor {
    /// Maximum time between a lease's expiry and the takeover, while a slot is free.
    static let limit = Duration.seconds(5)
    /// Maximum time also while all slots are occupied: no engine keeps one so long.
    static let limitInAll = Duration.seconds(30)
    private static let period = Duration.milliseconds(250)
    private static let periodMax = Duration.seconds(1)

    private let loop: EventLoop
    private let installation: Installation
    private let workers: WorkerPool
    private let killer: Killer
    private let tally: Tally
    private var overdue: [String: Wait] = [:]

    /// How long a run has had no owner.
    private struct Wait {
        var withFreeSlot = Duration.zero
        var inAll = Duration.zero

        var isTooLong: Bool { withFreeSlot > LeaseMonitor.limit || inAll > LeaseMonitor.limitInAll }
    }

    /// A run with an expired lease.
    private struct Overdue: Sendable {
        let message: String
        /// Whether a slot is free for it. While engines that stall have all of them, it waits for one.
        let hasFreeSlot: Bool
        /// The rest of the queue, for reports.
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

    /// Monitors until stopped.
    func run() async {
        let installation = installation
        var last = loop.now
        while !isStopped {
            try? await loop.sleep(for: Self.period)
            let wasHealthy = killer.isHealthy
            let answers = try? await workers.run {
                let rows = try installation.connect().query(
                    Self.query,
                    [.int64(Int64(installation.settings.slots * installation.settings.nodes))]
                )
                return try rows.map { row in
                    Overdue(
                        message: try row.decode("message", as: String.self),
                        hasFreeSlot: try row.decode("has_free_slot", as: Bool.self),
                        surroundings: try row.decode("surroundings", as: String.self)
                    )
                }
            }
            // A stall of the machine also stalls the servers: count at most this much of it.
            let passed = min(loop.now - last, Self.periodMax)
            last = loop.now
            // Time without any live node does not count.
            if let answers { note(answers, wasHealthy && killer.isHealthy ? passed : .zero) }
        }
    }

    /// A node runs one answer at a time whose earlier attempts ended without text; meanwhile another
    /// one like it has no slot.
    private static let query = """
        SELECT g.message_id::text AS message,
            count(*) FILTER (WHERE o.lease_until >= now()) < $1 AND (g.attempts = 0
                OR count(*) FILTER (WHERE o.lease_until >= now() AND o.attempts > 1) = 0) AS has_free_slot,
            format('try %s, %s tries without a word; the queue has %s, of them \
        %s with an owner and %s of this conversation', g.tries, g.attempts, count(*),
            count(*) FILTER (WHERE o.lease_until >= now()),
            count(*) FILTER (WHERE o.lease_until >= now() AND o.conversation_id = g.conversation_id)) AS surroundings
        FROM generations g CROSS JOIN generations o
        WHERE g.lease_until < now() GROUP BY g.message_id, g.tries, g.attempts
        """

    private func note(_ answers: [Overdue], _ passed: Duration) {
        var now: [String: Wait] = [:]
        for answer in answers {
            let before = overdue[answer.message] ?? Wait()
            var wait = before
            wait.inAll += passed
            if answer.hasFreeSlot { wait.withFreeSlot += passed }
            now[answer.message] = wait
            tally.longestOverdue = max(tally.longestOverdue, wait.withFreeSlot)
            tally.longestWithoutOwner = max(tally.longestWithoutOwner, wait.inAll)
            if wait.isTooLong, !before.isTooLong {
                tally.violation(
                    """
                    nobody took answer \(answer.message) in \(wait.inAll) after its lease, with a free \
                    slot for \(wait.withFreeSlot) of it: \(answer.surroundings)
                    """
                )
            }
        }
        overdue = now
    }
}
