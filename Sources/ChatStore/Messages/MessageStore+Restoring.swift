// Undoes the deletion of a message: exactly the messages deleted with it are restored; answers that
// were not finished stay stopped.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

extension MessageStore {
    /// Restores a deleted message, with all messages deleted together with it. Idempotent.
    /// - Parameters:
    ///   - request: one of the messages that were deleted together.
    ///   - user: the user.
    ///   - rules: how long a deletion can be undone.
    ///   - now: the current time.
    /// - Returns: the restored messages, with their event; nothing if the message is not deleted.
    /// - Throws: `WireError.notFound` if there is no such message, another user deleted it and the
    ///   user is not an owner, or it was too long ago; `.conflict` if its parent is deleted.
    public func restore(
        _ request: MessageRestoreRequest,
        by user: UserID,
        _ rules: LifeCycleRules,
        at now: Timestamp
    ) async throws -> Committed<[MessageID]> {
        let conversation = request.conversation
        return try await pool.transaction { transaction in
            let lock = try await transaction.lock(
                conversation,
                for: user,
                to: .deleteOwnMessages
            )
            guard
                let deletion = try await transaction.deletion(
                    of: request.message,
                    in: conversation
                )
            else { return Committed(value: [], events: []) }
            guard
                deletion.actor == user
                    || Permission.decide(.deleteMessages, lock.standing) == .granted
            else { throw WireError.noSuchMessage }
            guard let number = deletion.number, deletion.time > rules.purgeCutoff(at: now) else {
                throw WireError(.notFound, "deleted too long ago to be restored")
            }
            let messages = try await transaction.undelete(number, in: conversation)
            let event = MessageRestored(
                conversation: conversation,
                n: lock.eventNumber + 1,
                messages: messages
            )
            try await transaction.attach(messages, lock, n: event.n)
            try transaction.insertEvent(
                .messageRestored,
                event.n,
                in: conversation,
                payload: .json(event)
            )
            try transaction.tellLists(of: conversation, .changed)
            return Committed(value: messages, events: [.messageRestored(event)])
        }
    }
}

/// How a message was deleted.
private struct TreePartDeletion {
    /// The number of its event; nil if its text was purged.
    let number: Int64?
    let actor: UserID?
    let time: Timestamp
}

extension StoreTransaction {
    /// - Returns: nil if the message is not deleted.
    /// - Throws: `WireError.notFound` if there never was one.
    fileprivate func deletion(
        of message: MessageID,
        in conversation: ConversationID
    ) async throws -> TreePartDeletion? {
        let rows = try await query(
            """
            SELECT deleted_n, deleted_by, deleted_at FROM messages
            WHERE conversation_id = $1 AND id = $2
            """,
            [.uuid(conversation), .uuid(message)]
        )
        guard let row = rows.first else { throw WireError.noSuchMessage }
        return try row.optionalTimestamp("deleted_at").map { time in
            TreePartDeletion(
                number: try row.decode("deleted_n", as: Int64?.self),
                actor: try row.optionalID("deleted_by", of: User.self),
                time: time
            )
        }
    }

    /// Restores the messages of one deletion.
    /// - Returns: the messages, parents first.
    fileprivate func undelete(
        _ number: Int64,
        in conversation: ConversationID
    ) async throws -> [MessageID] {
        let rows = try await query(
            """
            WITH restored AS (
                UPDATE messages SET deleted_at = NULL, deleted_n = NULL, deleted_by = NULL
                WHERE conversation_id = $1 AND deleted_n = $2
                RETURNING id, depth, created_n
            )
            SELECT id FROM restored ORDER BY depth, created_n, id
            """,
            [.uuid(conversation), .int64(number)]
        )
        let messages = try rows.map { try $0.id("id", of: Message.self) }
        // The parent was deleted later; or a part has just been purged.
        let cut = try await query(
            """
            SELECT FROM messages m
            JOIN messages p ON p.conversation_id = m.conversation_id AND p.id = m.parent_id
            WHERE m.conversation_id = $1 AND m.id = ANY ($2) AND p.deleted_at IS NOT NULL
            LIMIT 1
            """,
            [.uuid(conversation), .uuidArray(messages.map(\.uuid))]
        )
        guard cut.isEmpty else {
            throw WireError(.conflict, "the message before it is deleted: restore that one first")
        }
        return messages
    }

    /// Allocates the event's number; if the newest message is among the restored ones, it is the
    /// newest again.
    fileprivate func attach(
        _ messages: [MessageID],
        _ lock: LockedConversation,
        n: Int64
    ) async throws {
        var ends: [MessageID?] = [lock.leaf]
        if let first = messages.first { ends.append(try await leaf(through: first, in: lock.id)) }
        _ = try await query(
            """
            UPDATE conversations SET event_number = $2, updated_at = now(), leaf_id = (
                SELECT id FROM messages WHERE conversation_id = $1 AND id = ANY ($3)
                ORDER BY created_n DESC, id DESC LIMIT 1)
            WHERE id = $1
            """,
            [.uuid(lock.id), .int64(n), .uuidArray(ends.compactMap { $0?.uuid })]
        )
    }
}
