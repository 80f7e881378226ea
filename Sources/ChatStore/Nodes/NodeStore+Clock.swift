// The database's clock was set back. What it measured before ends that much too late: a dead node
// counts as alive, and nobody takes over its runs.

import Postgres

extension NodeStore {
    /// Moves the heartbeats and leases of the time before the step to the clock of now. Doing it
    /// twice has no effect: a lease that is renewed every few seconds is never that far ahead.
    /// - Parameter step: how far the clock was set back, by `NodeCensus.clockStep`.
    /// - Throws: `PostgresError`.
    public func followClock(setBackBy step: Duration) async throws {
        _ = try await pool.query(
            """
            WITH seen AS (UPDATE nodes SET seen_at = now() WHERE seen_at > now())
            UPDATE generations SET lease_until = lease_until - $1 * interval '1 second'
            WHERE lease_until > now() + $1 * interval '1 second'
            """,
            [.double(step.seconds)]
        )
    }
}
