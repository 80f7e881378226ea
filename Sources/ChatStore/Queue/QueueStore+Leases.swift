// Leases and stop requests. A node holds the queue row of an answer that it runs under a lease, and
// renews the lease while it runs. A renewal returns the stop requests for these answers.

public import ChatCore
public import ChatProtocol
public import FoundationEssentials
import Postgres

/// The answers whose leases a node still holds.
public struct HeldRuns: Sendable {
    /// The answers.
    public internal(set) var messages: Set<MessageID> = []
    /// The stop requests for them, by answer.
    public internal(set) var stops: [MessageID: StopRequest] = [:]

    /// Reads rows with the columns `message_id`, `is_stopped` and `stop_seen`.
    init(rows: PostgresRows) throws {
        for row in rows {
            let message = try row.id("message_id", of: Message.self)
            messages.insert(message)
            guard try row.decode("is_stopped", as: Bool.self) else { continue }
            stops[message] = StopRequest(
                seen: try row.decode("stop_seen", as: Int32?.self).map(Int.init)
            )
        }
    }
}

extension QueueStore {
    /// Renews the leases of a node.
    /// - Parameters:
    ///   - messages: the answers that the node runs.
    ///   - node: the node.
    ///   - lease: duration of the leases from now.
    /// - Returns: the answers whose leases the node still holds.
    /// - Throws: `PostgresError`.
    public func renewLeases(
        of messages: [MessageID],
        node: UUID,
        lease: Duration
    ) async throws -> HeldRuns {
        // Rows are locked in the same order as by storeCheckpoints: otherwise the two could
        // deadlock.
        try HeldRuns(
            rows: await pool.query(
                """
                WITH mine AS MATERIALIZED (
                    SELECT message_id FROM generations
                    WHERE message_id = ANY ($1) AND lease_owner = $2
                    ORDER BY message_id FOR UPDATE
                )
                UPDATE generations g SET lease_until = now() + $3 * interval '1 second'
                FROM mine WHERE g.message_id = mine.message_id
                RETURNING g.message_id, g.stop_requested_at IS NOT NULL AS is_stopped, g.stop_seen
                """,
                [.uuidArray(messages.map(\.uuid)), .uuid(node), .double(lease.seconds)]
            )
        )
    }

    /// Persists a user's stop request. The node that runs the answer, now or after a takeover, ends
    /// it. Later requests for the same answer have no effect.
    /// - Parameters:
    ///   - message: the answer.
    ///   - seen: the UTF-8 bytes of the text that the user has received; nil for all.
    /// - Returns: whether the answer had not ended yet.
    /// - Throws: `PostgresError`.
    public func requestStop(_ message: MessageID, seen: Int?) async throws -> Bool {
        let result = try await pool.query(
            """
            UPDATE generations
            SET stop_requested_at = coalesce(stop_requested_at, now()),
                stop_seen = CASE WHEN stop_requested_at IS NULL THEN $2 ELSE stop_seen END
            WHERE message_id = $1
            """,
            [.uuid(message), .optional(seen.map { max(0, $0) })]
        )
        return result.affectedRowCount == 1
    }

    /// The stop requests for the answers that a node runs.
    /// - Parameter node: the node.
    /// - Returns: the requests, by answer.
    /// - Throws: `PostgresError`.
    public func stopRequests(node: UUID) async throws -> [MessageID: StopRequest] {
        try HeldRuns(
            rows: await pool.query(
                """
                SELECT message_id, true AS is_stopped, stop_seen FROM generations
                WHERE lease_owner = $1 AND stop_requested_at IS NOT NULL
                """,
                [.uuid(node)]
            )
        ).stops
    }

    /// Returns answers to the queue, so that another node, or this one after a restart, resumes
    /// them at once. The attempt is not counted, because the answer did not cause its end.
    /// - Parameters:
    ///   - node: the node that holds the leases.
    ///   - message: the answer; nil for all whose leases the node holds.
    /// - Throws: `PostgresError`.
    public func releaseLeases(node: UUID, of message: MessageID? = nil) async throws {
        _ = try await pool.query(
            """
            UPDATE generations
            SET lease_owner = NULL, lease_until = NULL, attempts = greatest(attempts - 1, 0)
            WHERE lease_owner = $1 AND ($2::uuid IS NULL OR message_id = $2)
            """,
            [.uuid(node), .optional(message)]
        )
    }
}
