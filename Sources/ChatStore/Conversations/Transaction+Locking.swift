// The first step of every change to a conversation: its row's lock, under which event numbers are
// taken, and the asker's right to make the change.

import ChatCore
import ChatProtocol
import FoundationEssentials
import Postgres

/// A conversation whose row this transaction holds.
struct LockedConversation {
    let id: ConversationID
    /// What the asker is in it, read once the lock was held.
    let standing: Standing
    /// The branch that the asker chose; nil where they follow what is newest.
    let selected: MessageID?
    let eventNumber: Int64
    let leaf: MessageID?
    /// The leaf's depth; nil where it changed while the lock was waited for.
    let leafDepth: Int32?
    let title: String
    /// The team that it belongs to.
    let team: TeamID?
    /// Who answers here, and what is known of the next answer's cost.
    let answers: Answers

    /// What decides how an answer waits.
    struct Answers {
        let model: String
        /// The most tokens of an answer; 0 where the conversation says nothing.
        let tokensMax: Int
        /// The length of the last prompt and its answer, in tokens.
        let contextTokens: Int
        /// The node whose cache is warm.
        let warmNode: UUID?
    }
}

/// A lock that was asked for, and the asker's standing under it.
struct SentLock {
    let conversation: StoreTransaction.Sent
    let standing: StoreTransaction.Sent
}

extension StoreTransaction {
    /// Locks a conversation's row until the end of the transaction.
    /// - Throws: `WireError` where `user` may not do `action`, or sees no such conversation.
    func lock(
        _ id: ConversationID,
        for user: UserID,
        to action: ConversationAction
    ) async throws -> LockedConversation {
        try await lock(id, sendLock(id, for: user), to: action)
    }

    /// Asks for the lock, and does not wait for it.
    func sendLock(_ id: ConversationID, for user: UserID) throws -> SentLock {
        let conversation = try send(
            """
            SELECT c.event_number, c.leaf_id, c.title, l.depth, c.model, c.max_tokens,
                c.context_tokens, c.warm_node, c.team_id
            FROM conversations c
            LEFT JOIN messages l ON l.conversation_id = c.id AND l.id = c.leaf_id
                AND l.deleted_at IS NULL
            WHERE c.id = $1 AND c.deleted_at IS NULL
            FOR UPDATE OF c
            """,
            [.uuid(id)]
        )
        // A statement of its own: it sees what was committed while the lock was waited for, so that
        // nobody does what they lost the right to before their turn came.
        let standing = try send(
            """
            SELECT \(StandingSelection.columns), m.selected_id
            FROM conversations c \(StandingSelection.joins(user: "$2"))
            WHERE c.id = $1
            """,
            [.uuid(id), .uuid(user)]
        )
        return SentLock(conversation: conversation, standing: standing)
    }

    /// Waits for the lock that `sendLock` asked for.
    func lock(
        _ id: ConversationID,
        _ locked: SentLock,
        to action: ConversationAction
    ) async throws -> LockedConversation {
        guard let row = try await locked.conversation.rows().first,
            let asker = try await locked.standing.rows().first
        else { throw WireError.noSuchConversation }
        let standing = try asker.standing()
        if let refusal = Permission.decide(action, standing).refusal { throw refusal }
        return LockedConversation(
            id: id,
            standing: standing,
            selected: try asker.optionalID("selected_id", of: Message.self),
            eventNumber: try row.decode("event_number", as: Int64.self),
            leaf: try row.optionalID("leaf_id", of: Message.self),
            leafDepth: try row.decode("depth", as: Int32?.self),
            title: try row.decode("title", as: String.self),
            team: try row.optionalID("team_id", of: Team.self),
            answers: LockedConversation.Answers(
                model: try row.decode("model", as: String.self),
                tokensMax: Int(try row.decode("max_tokens", as: Int32?.self) ?? 0),
                contextTokens: Int(try row.decode("context_tokens", as: Int32?.self) ?? 64),
                warmNode: try row.decode("warm_node", as: UUID?.self)
            )
        )
    }

    /// Writes a durable event down. The conversation's row must be locked and its number taken.
    /// Where somebody watches on another node, the store's observer hears of it after the commit.
    func insertEvent(
        _ name: ServerEvent.Name,
        _ n: Int64,
        in conversation: ConversationID,
        message: MessageID? = nil,
        payload: PostgresValue = .null
    ) throws {
        let elsewhere = try send(
            """
            WITH event AS (
                INSERT INTO events (conversation_id, n, name, message_id, payload)
                VALUES ($1, $2, $3, $4, $5)
            )
            SELECT FROM node_watches WHERE topic = $1 AND node_id IS DISTINCT FROM $6 LIMIT 1
            """,
            [
                .uuid(conversation), .int64(n), .text(name.rawValue), .optional(message), payload,
                .uuid(node),
            ]
        )
        noteEvent(in: conversation, isWatchedElsewhere: elsewhere)
    }
}
