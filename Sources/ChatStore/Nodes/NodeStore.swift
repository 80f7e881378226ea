// The nodes on the database, their subscriptions, and notifications. A notification goes only to
// the channels of nodes that subscribed: without other subscribers, none is sent.

public import ChatProtocol
public import FoundationEssentials
import Postgres

/// The result of a heartbeat.
public struct NodeCensus: Sendable {
    /// Whether the other nodes had removed this node, or never knew it: it must register its
    /// subscriptions again.
    public let isNew: Bool
    /// Number of other running nodes.
    public let otherCount: Int
    /// How far the database's clock was set back since the newest heartbeat; nil if it was not.
    public let clockStep: Duration?
}

/// A running node.
public struct LivingNode: Sendable, Hashable {
    /// The id of the server process.
    public let id: UUID
    /// Its name for people.
    public let name: String
    /// When the process started.
    public let startedAt: Timestamp
    /// Its last heartbeat.
    public let seenAt: Timestamp
}

/// The nodes on one database, and their subscriptions.
public struct NodeStore {
    let pool: StorePool

    /// The nodes with a heartbeat within `patience`, oldest first.
    public func living(patience: Duration = .seconds(10)) async throws -> [LivingNode] {
        let rows = try await pool.query(
            """
            SELECT id, name, started_at, seen_at FROM nodes
            WHERE seen_at >= now() - $1 * interval '1 second' ORDER BY started_at, id LIMIT 1000
            """,
            [.double(patience.seconds)]
        )
        return try rows.map { row in
            LivingNode(
                id: try row.decode("id", as: UUID.self),
                name: try row.decode("name", as: String.self),
                startedAt: try row.timestamp("started_at"),
                seenAt: try row.timestamp("seen_at")
            )
        }
    }

    /// Records a heartbeat, and removes nodes without one for `patience`.
    public func sendHeartbeat(
        of node: UUID,
        named name: String,
        patience: Duration
    ) async throws -> NodeCensus {
        let rows = try await pool.query(
            """
            WITH dead AS (
                DELETE FROM nodes
                WHERE seen_at < now() - $3 * interval '1 second' AND id <> $1 RETURNING id
            ), unwatched AS (
                DELETE FROM node_watches WHERE node_id IN (SELECT id FROM dead)
            ), own AS (
                INSERT INTO nodes (id, name) VALUES ($1, $2)
                ON CONFLICT (id) DO UPDATE SET seen_at = now()
                RETURNING xmax = 0 AS is_new
            )
            SELECT is_new,
                (
                    SELECT count(*) FROM nodes
                    WHERE id <> $1 AND seen_at >= now() - $3 * interval '1 second'
                ) AS other_count,
                -- As it was before this statement.
                (SELECT extract(epoch FROM max(seen_at) - now())::float8 FROM nodes) AS ahead,
                CASE WHEN is_new THEN pg_notify($4, $5) END
            FROM own
            """,
            [
                .uuid(node), .text(name), .double(patience.seconds),
                .text(WakeUp.commonChannel), .text(WakeUp.nodes(sender: node).payload),
            ]
        )
        guard let row = rows.first else {
            return NodeCensus(isNew: true, otherCount: 0, clockStep: nil)
        }
        let ahead = Duration.seconds(try row.decode("ahead", as: Double?.self) ?? 0)
        return NodeCensus(
            isNew: try row.decode("is_new", as: Bool.self),
            otherCount: Int(try row.decode("other_count", as: Int64.self)),
            clockStep: ahead > patience / 2 ? ahead : nil
        )
    }

    /// Removes a node that shuts down, and remains of nodes that no longer exist.
    public func forget(_ node: UUID) async throws {
        _ = try await pool.query(
            """
            WITH own AS (DELETE FROM nodes WHERE id = $1), unwatched AS (
                DELETE FROM node_watches w
                WHERE w.node_id = $1 OR NOT EXISTS (SELECT FROM nodes n WHERE n.id = w.node_id)
            )
            SELECT pg_notify($2, $3)
            """,
            [
                .uuid(node), .text(WakeUp.commonChannel),
                .text(WakeUp.nodes(sender: node).payload),
            ]
        )
    }

    /// Subscribes a node to conversations and users. Nodes with running answers in these
    /// conversations are notified, so that they write checkpoints sooner.
    public func beginWatches(of topics: [UUID], by node: UUID) async throws {
        _ = try await pool.query(
            """
            WITH added AS (
                INSERT INTO node_watches (topic, node_id) SELECT topic, $2
                FROM unnest($1::uuid[]) AS topic
                ON CONFLICT DO NOTHING RETURNING topic
            )
            SELECT pg_notify('\(WakeUp.channelPrefix)' || g.lease_owner,
                '\(WakeUp.Prefix.watched)' || g.conversation_id)
            FROM generations g JOIN added ON added.topic = g.conversation_id
            WHERE g.lease_owner <> $2
            """,
            [.uuidArray(topics), .uuid(node)]
        )
    }

    /// Unsubscribes a node.
    public func endWatches(of topics: [UUID], by node: UUID) async throws {
        _ = try await pool.query(
            "DELETE FROM node_watches WHERE topic = ANY ($1) AND node_id = $2",
            [.uuidArray(topics), .uuid(node)]
        )
    }

    /// The conversations among `conversations` that have subscribers on another node.
    public func watchedElsewhere(
        _ conversations: [ConversationID],
        than node: UUID
    ) async throws -> Set<ConversationID> {
        let rows = try await pool.query(
            "SELECT DISTINCT topic FROM node_watches WHERE topic = ANY ($1) AND node_id <> $2",
            [.uuidArray(conversations.map(\.uuid)), .uuid(node)]
        )
        return Set(try rows.map { try $0.id("topic", of: Conversation.self) })
    }

    /// The numbers of conversations' last durable events, where they are higher than given.
    public func eventNumbers(
        after known: [ConversationID: Int64]
    ) async throws -> [ConversationID: Int64] {
        let rows = try await pool.query(
            """
            SELECT c.id, c.event_number FROM unnest($1::uuid[], $2::bigint[]) AS known (id, n)
            JOIN conversations c ON c.id = known.id AND c.event_number > known.n
            """,
            [.uuidArray(known.keys.map(\.uuid)), .int64Array(Array(known.values))]
        )
        var numbers: [ConversationID: Int64] = [:]
        for row in rows {
            let conversation = try row.id("id", of: Conversation.self)
            numbers[conversation] = try row.decode("event_number", as: Int64.self)
        }
        return numbers
    }

    /// Notifies other nodes, with one statement for all: the subscribers of the topic, the node
    /// that runs the answer, or all nodes, depending on the notification.
    public func send(_ wakeUps: Set<WakeUp>, from node: UUID) async throws {
        var topics: [UUID] = []
        var payloads: [String] = []
        var stops: [UUID] = []
        var common: [String] = []
        for wakeUp in wakeUps {
            switch wakeUp {
            case .events(let id), .text(let id), .watched(let id), .gone(let id):
                topics.append(id.uuid)
                payloads.append(wakeUp.payload)
            case .present(let id, _), .absent(let id, _), .typing(let id, _):
                topics.append(id.uuid)
                payloads.append(wakeUp.payload)
            case .user(let id), .account(let id):
                topics.append(id.uuid)
                payloads.append(wakeUp.payload)
            case .stop(let id): stops.append(id.uuid)
            case .queue, .nodes, .models, .engines, .standing: common.append(wakeUp.payload)
            }
        }
        _ = try await pool.query(
            """
            SELECT pg_notify('\(WakeUp.channelPrefix)' || w.node_id, k.payload)
            FROM unnest($1::uuid[], $2::text[]) AS k (topic, payload)
            JOIN node_watches w ON w.topic = k.topic AND w.node_id <> $3
            UNION ALL
            SELECT pg_notify('\(WakeUp.channelPrefix)' || g.lease_owner,
                '\(WakeUp.Prefix.stop)' || g.message_id)
            FROM generations g WHERE g.message_id = ANY ($4) AND g.lease_owner <> $3
            UNION ALL
            SELECT pg_notify($5, payload) FROM unnest($6::text[]) AS payload
            """,
            [
                .uuidArray(topics), .textArray(payloads), .uuid(node), .uuidArray(stops),
                .text(WakeUp.commonChannel), .textArray(common),
            ]
        )
    }
}
