// Replaces autovacuum: PostgreSQL forgets after each crash which tables have changed, and in a run it
// crashes several times a minute. Without this, the busiest tables, such as the queue, would only grow,
// and the run would measure that.

import EventLoop
import Postgres

/// Vacuums the database periodically. Used on its event loop; it queries the database on a worker thread.
final class Vacuuming {
    private static let period = Duration.seconds(20)

    private let loop: EventLoop
    private let installation: Installation
    private let workers: WorkerPool
    private var isStopped = false

    init(loop: EventLoop, installation: Installation, workers: WorkerPool) {
        self.loop = loop
        self.installation = installation
        self.workers = workers
    }

    func stop() { isStopped = true }

    /// Vacuums until stopped.
    func run() async {
        let installation = installation
        while !isStopped {
            try? await loop.sleep(for: Self.period)
            // If PostgreSQL is killed meanwhile, the next round vacuums.
            try? await workers.run { try installation.connect().run("VACUUM (ANALYZE)") }
        }
    }
}
