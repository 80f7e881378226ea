// Feedback on answers: one rating per member and answer, visible to all members.

import ChatCore
public import ChatProtocol
import Postgres

extension MessageStore {
    /// Stores, changes or withdraws a member's rating of an answer. Repeating it changes nothing.
    /// - Throws: `WireError.badRequest` if the message is not an answer, or is not finished.
    public func rate(
        _ request: MessageFeedbackRequest,
        by user: User
    ) async throws -> Committed<Void> {
        let conversation = request.conversation
        return try await pool.transaction { transaction in
            let lock = try await transaction.lock(conversation, for: user.id, to: .write)
            let message = try await transaction.message(request.message, in: conversation)
            guard message.role == .assistant, message.state.isFinal else {
                throw WireError(.badRequest, "only an answer that has ended can be rated")
            }
            let event = MessageFeedback(
                conversation: conversation,
                n: lock.eventNumber + 1,
                message: message.id,
                user: User(id: user.id, name: user.name),
                rating: request.rating,
                text: request.text.flatMap { $0.isEmpty ? nil : $0 }
            )
            guard try await transaction.store(event) else {
                return Committed(value: (), events: [])
            }
            _ = try await transaction.query(
                "UPDATE conversations SET event_number = $2 WHERE id = $1",
                [.uuid(conversation), .int64(event.n)]
            )
            try transaction.insertEvent(
                .messageFeedback,
                event.n,
                in: conversation,
                payload: .json(event)
            )
            return Committed(value: (), events: [.messageFeedback(event)])
        }
    }
}

extension StoreTransaction {
    /// - Returns: whether the rating has changed.
    fileprivate func store(_ event: MessageFeedback) async throws -> Bool {
        guard let rating = event.rating else {
            let gone = try await query(
                "DELETE FROM feedback WHERE message_id = $1 AND user_id = $2",
                [.uuid(event.message), .uuid(event.user.id)]
            )
            return gone.affectedRowCount == 1
        }
        let changed = try await query(
            """
            INSERT INTO feedback AS f (conversation_id, message_id, user_id, rating, text)
            VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (message_id, user_id) DO UPDATE
                SET rating = excluded.rating, text = excluded.text, given_at = now()
                WHERE (f.rating, f.text) IS DISTINCT FROM (excluded.rating, excluded.text)
            """,
            [
                .uuid(event.conversation), .uuid(event.message), .uuid(event.user.id),
                .int16(Int16(rating)), .optional(event.text),
            ]
        )
        return changed.affectedRowCount == 1
    }
}
