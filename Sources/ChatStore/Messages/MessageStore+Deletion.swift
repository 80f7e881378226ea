// Deletes a message with its descendants, for all members. The rows stay, marked; nobody gets their
// text any more, unless the deletion is undone (MessageStore+Restoring.swift).

import ChatCore
public import ChatProtocol
import Postgres

/// The result of a deletion.
public struct MessageDeletion: Sendable {
    /// The messages, parents first; empty if they were deleted before.
    public let messages: [MessageID]
    /// The unfinished ones among them.
    public let unfinished: [MessageID]
}

extension MessageStore {
    /// Deletes a message with its descendants. Queued and running answers there are cancelled;
    /// members who saw that branch now see the one through the parent.
    /// - Throws: `WireError.forbidden` if others have written there and the user is not an owner.
    public func delete(
        _ request: MessageDeleteRequest,
        by user: UserID
    ) async throws -> Committed<MessageDeletion> {
        let conversation = request.conversation
        return try await pool.transaction { transaction in
            let lock = try await transaction.lock(
                conversation,
                for: user,
                to: .deleteOwnMessages
            )
            guard
                let part = try await transaction.part(
                    below: request.message,
                    in: conversation,
                    of: user
                )
            else {
                return Committed(
                    value: MessageDeletion(messages: [], unfinished: []),
                    events: []
                )
            }
            if part.holdsOthers, Permission.decide(.deleteMessages, lock.standing) != .granted {
                throw WireError(
                    .forbidden,
                    "others have written there; only an owner of the conversation can delete it"
                )
            }
            let number = lock.eventNumber + 1
            try await transaction.delete(part, in: conversation, by: user, n: number)
            let event = MessageDeleted(
                conversation: conversation,
                n: number,
                messages: part.messages
            )
            try await transaction.detach(part, lock, n: event.n)
            try transaction.insertEvent(
                .messageDeleted,
                event.n,
                in: conversation,
                payload: .json(event)
            )
            try transaction.tellLists(of: conversation, .changed)
            return Committed(
                value: MessageDeletion(messages: part.messages, unfinished: part.unfinished),
                events: [.messageDeleted(event)]
            )
        }
    }
}

/// A message with its descendants.
private struct TreePart {
    let parent: MessageID?
    var messages: [MessageID] = []
    var unfinished: [MessageID] = []
    /// Whether another user wrote some of it, or the question of its first message.
    var holdsOthers = false
}

extension StoreTransaction {
    /// - Returns: nil if the message is already deleted.
    /// - Throws: `WireError.notFound` if there never was one.
    fileprivate func part(
        below message: MessageID,
        in conversation: ConversationID,
        of user: UserID
    ) async throws -> TreePart? {
        let rows = try await query(
            """
            WITH RECURSIVE part AS (
                SELECT id, parent_id, depth, created_n, role, author_id, state FROM messages
                WHERE conversation_id = $1 AND id = $2 AND deleted_at IS NULL
                UNION ALL
                SELECT m.id, m.parent_id, m.depth, m.created_n, m.role, m.author_id, m.state
                FROM part JOIN messages m
                    ON m.conversation_id = $1 AND m.parent_id = part.id AND m.deleted_at IS NULL
            )
            SELECT part.id, part.parent_id, part.state,
                CASE part.role WHEN 'user' THEN part.author_id IS DISTINCT FROM $3
                    ELSE q.author_id IS DISTINCT FROM $3 END AS is_of_others
            FROM part LEFT JOIN messages q
                ON q.conversation_id = $1 AND q.id = part.parent_id
            ORDER BY part.depth, part.created_n, part.id
            """,
            [.uuid(conversation), .uuid(message), .uuid(user)]
        )
        guard let first = rows.first else {
            let known = try await query(
                "SELECT FROM messages WHERE conversation_id = $1 AND id = $2",
                [.uuid(conversation), .uuid(message)]
            )
            guard known.isEmpty else { return nil }
            throw WireError.noSuchMessage
        }
        var part = TreePart(parent: try first.optionalID("parent_id", of: Message.self))
        for row in rows {
            let id = try row.id("id", of: Message.self)
            part.messages.append(id)
            if try !row.word("state", as: MessageState.self).isFinal { part.unfinished.append(id) }
            if try row.decode("is_of_others", as: Bool.self) { part.holdsOthers = true }
        }
        return part
    }

    fileprivate func delete(
        _ part: TreePart,
        in conversation: ConversationID,
        by user: UserID,
        n: Int64
    ) async throws {
        let ids = PostgresValue.uuidArray(part.messages.map(\.uuid))
        // Before the messages' rows, in the same order as a claim locks them.
        _ = try await query("DELETE FROM generations WHERE message_id = ANY ($1)", [ids])
        // A summary that covers one of the messages ends at one of them: all descendants are
        // deleted, too.
        _ = try await query(
            "DELETE FROM summaries WHERE conversation_id = $1 AND through_id = ANY ($2)",
            [.uuid(conversation), ids]
        )
        _ = try await query(
            """
            UPDATE messages SET deleted_at = now(), deleted_n = $3, deleted_by = $4,
                finish = CASE WHEN state IN ('queued', 'streaming') THEN 'stopped' ELSE finish END,
                state = CASE WHEN state IN ('queued', 'streaming') THEN 'stopped' ELSE state END
            WHERE conversation_id = $1 AND id = ANY ($2)
            """,
            [.uuid(conversation), ids, .int64(n), .uuid(user)]
        )
    }

    /// Moves the selections of members who saw the deleted part, and allocates the event's number.
    fileprivate func detach(
        _ part: TreePart,
        _ lock: LockedConversation,
        n: Int64
    ) async throws {
        var newest = lock.leaf
        if let leaf = newest, part.messages.contains(leaf) {
            if let parent = part.parent {
                newest = try await self.leaf(through: parent, in: lock.id)
            } else {
                let first = try await children(of: nil, in: lock.id).last
                newest =
                    if let first { try await self.leaf(through: first, in: lock.id) } else { nil }
            }
        }
        _ = try await query(
            """
            UPDATE conversations SET event_number = $2, leaf_id = $3, updated_at = now()
            WHERE id = $1
            """,
            [.uuid(lock.id), .int64(n), .optional(newest)]
        )
        _ = try await query(
            """
            UPDATE members SET selected_id = $3
            WHERE conversation_id = $1 AND selected_id = ANY ($2)
            """,
            [
                .uuid(lock.id), .uuidArray(part.messages.map(\.uuid)), .optional(part.parent),
            ]
        )
    }
}
