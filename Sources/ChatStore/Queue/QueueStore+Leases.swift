// Leases: a node that makes an answer holds its row of the queue until a time, and puts that off while
// it lives. Whoever renews a lease is told what was wished of the answer meanwhile.

public import ChatProtocol
public import FoundationEssentials
import Postgres

/// A wish to end an answer early.
public struct StopWish: Sendable, Hashable {
    /// The UTF-8 byte up to which its reader had got; nil for all of the text.
    public let seen: Int?

    /// Puts a wish together.
    public init(seen: Int?) {
        self.seen = seen
    }
}

/// What a node still holds of the answers that it makes.
public struct HeldRuns: Sendable {
    /// Those that are still its own.
    public internal(set) var messages: Set<MessageID> = []
    /// Those of them that somebody wants ended.
    public internal(set) var stops: [MessageID: StopWish] = [:]

    /// Reads rows of message, whether it shall end, and up to which byte.
    init(rows: PostgresRows) throws {
        for row in rows {
            let message = try row.id("message_id", of: Message.self)
            messages.insert(message)
            guard try row.decode("is_stopped", as: Bool.self) else { continue }
            stops[message] = StopWish(
                seen: try row.decode("stop_seen", as: Int32?.self).map(Int.init)
            )
        }
    }
}

extension Store {
    /// Puts off the end of the leases that this node holds.
    /// - Parameters:
    ///   - messages: the answers that it makes.
    ///   - node: who it is.
    ///   - lease: how long they hold from now on.
    /// - Returns: those answers that are still this node's.
    /// - Throws: `PostgresError`.
    public func renewLeases(
        of messages: [MessageID],
        node: UUID,
        lease: Duration
    ) async throws -> HeldRuns {
        // Rows are locked in one order, here and where parts are kept, so that neither waits for
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

    /// The wishes to end answers that this node makes.
    /// - Parameter node: who it is.
    /// - Returns: the wishes, by answer.
    /// - Throws: `PostgresError`.
    public func stopWishes(node: UUID) async throws -> [MessageID: StopWish] {
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

    /// Gives answers back to the queue, so that another node, or this one's next life, goes on with
    /// them at once. It was no fault of theirs: the attempt does not count.
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
