// Leases: a node that runs an answer holds its queue row until a time, and renews that while it lives. The
// renewal returns the stop requests that came meanwhile.

public import ChatCore
public import ChatProtocol
public import FoundationEssentials
import Postgres

/// What a node still holds of the answers that it runs.
public struct HeldRuns: Sendable {
    /// Those that are still its own.
    public internal(set) var messages: Set<MessageID> = []
    /// Those of them with a stop request.
    public internal(set) var stops: [MessageID: StopRequest] = [:]

    /// Reads rows of message, whether it shall end, and up to which byte.
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

extension Store {
    /// Renews the leases that this node holds.
    /// - Parameters:
    ///   - messages: the answers that it runs.
    ///   - node: who it is.
    ///   - lease: how long they hold from now on.
    /// - Returns: those answers that are still this node's.
    /// - Throws: `PostgresError`.
    public func renewLeases(
        of messages: [MessageID],
        node: UUID,
        lease: Duration
    ) async throws -> HeldRuns {
        // Rows are locked in one order, here and where checkpoints are stored, so that neither waits for
        // the other for ever.
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

    /// The stop requests for answers that this node runs.
    /// - Parameter node: who it is.
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

    /// Gives answers back to the queue, so that another node, or this one's next life, resumes them at
    /// once. It was no fault of theirs: the attempt does not count.
    /// - Parameters:
    ///   - node: who holds them.
    ///   - message: which answer; nil for all that the node holds.
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
