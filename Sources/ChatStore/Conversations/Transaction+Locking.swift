// The first step of every change to a conversation: locks its row, under which event numbers are
// allocated, and checks the asker's right.

import ChatCore
import ChatProtocol
import FoundationEssentials
import Postgres

/// A conversation whose row is locked by this transaction.
struct LockedConversation {
    let id: ConversationID
    /// The asker's standing, read after the lock was acquired.
    let standing: Standing
    /// The branch that the asker selected; nil to follow the newest message.
    let selected: MessageID?
    var eventNumber: Int64
    var leaf: MessageID?
    /// The leaf's depth; nil if the leaf changed while waiting for the lock.
    var leafDepth: Int32?
    let title: String
    /// The team that it belongs to.
    let team: TeamID?
    /// The model, and the expected cost of the next answer.
    let answers: Answers
    /// Whether this transaction has inserted it, with the event number and the leaf that the
    /// transaction leads to.
    var isNew = false

    /// What decides how an answer is queued.
    struct Answers {
        let model: String
        /// Maximum tokens of an answer; 0 if the conversation does not say.
        let tokensMax: Int
        /// Tokens of the last prompt and its answer; before the first, an estimate of the system
        /// prompt's tokens.
        let contextTokens: Int
        /// Whether there was an answer, so that `contextTokens` is not an estimate.
        let hasContext: Bool
        /// The length of the system prompt, in UTF-8 bytes.
        let systemPromptBytes: Int
        /// What happens to a history that exceeds the context.
        let policy: ContextPolicy
        /// The node whose cache contains that prompt.
        let warmNode: UUID?
        /// Whether it is a request's own, whose answers do not wait for each other.
        let isOfRequest: Bool
    }
}

/// A requested lock, and the asker's standing under it.
struct SentLock {
    let conversation: StoreTransaction.Sent
    let standing: StoreTransaction.Sent
}

extension StoreTransaction {
    /// Locks a conversation's row until the end of the transaction.
    /// - Throws: `WireError` if `user` may not do `action`, or cannot see the conversation.
    func lock(
        _ id: ConversationID,
        for user: UserID,
        to action: ConversationAction
    ) async throws -> LockedConversation {
        try await lock(id, sendLock(id, for: user), to: action)
    }

    /// Requests the lock without waiting for it.
    func sendLock(_ id: ConversationID, for user: UserID) throws -> SentLock {
        let conversation = try send(
            """
            SELECT c.event_number, c.leaf_id, c.title, l.depth, c.model, c.max_tokens,
                c.context_tokens, c.warm_node, c.team_id, c.context_policy,
                c.api_user_id IS NOT NULL AS is_request,
                coalesce(octet_length(p.body), 0) AS system_prompt_bytes
            FROM conversations c
            LEFT JOIN messages l ON l.conversation_id = c.id AND l.id = c.leaf_id
                AND l.deleted_at IS NULL
            \(SystemPromptSelection.join)
            WHERE c.id = $1 AND c.deleted_at IS NULL
            FOR UPDATE OF c
            """,
            [.uuid(id)]
        )
        // A separate statement: it sees what was committed while waiting for the lock, so that
        // nobody acts on a right that was revoked meanwhile.
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
        let contextTokens = try row.decode("context_tokens", as: Int32?.self)
        let systemPromptBytes = Int(try row.decode("system_prompt_bytes", as: Int32.self))
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
                contextTokens: contextTokens.map(Int.init) ?? systemPromptBytes / 4 + 8,
                hasContext: contextTokens != nil,
                systemPromptBytes: systemPromptBytes,
                policy: try row.word("context_policy", as: ContextPolicy.self),
                warmNode: try row.decode("warm_node", as: UUID?.self),
                isOfRequest: try row.decode("is_request", as: Bool.self)
            )
        )
    }

    /// Inserts a durable event. The conversation's row must be locked and the number allocated. If
    /// the conversation has subscribers on other nodes, the store's observer is notified after the
    /// commit.
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
