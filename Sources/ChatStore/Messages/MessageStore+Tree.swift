// New branches: edited questions, regenerated answers, continued answers. Nothing is overwritten;
// the new message is a sibling of the old one, and its author sees the new branch.

import ChatCore
public import ChatProtocol
import Postgres

extension MessageStore {
    /// Adds an edited question as a sibling of the old one, with a pending answer.
    /// - Throws: `WireError.badRequest` if the message is an answer; `.busy` if the queue is full.
    public func edit(
        _ request: MessageEditRequest,
        by user: User,
        limits: QueueLimits
    ) async throws -> Committed<MessageSendReply> {
        let keyed = try KeyedRequest(
            request.key,
            of: user.id,
            hash: RequestHash.of(request, as: .messageEdit)
        )
        return try await turn(keyed, in: request.conversation, limits) {
            transaction,
            lock,
            slot in
            let message = try await transaction.message(request.message, in: lock.id)
            guard message.role == .user else {
                throw WireError(
                    .badRequest,
                    "this is an answer: regenerate it, or edit the question before it"
                )
            }
            let branch = NewTurn.Branch(parent: message.parent, isSelected: true)
            return try await transaction.insertTurn(
                NewTurn(question: request.text, branch: branch, by: user),
                lock,
                in: slot
            )
        }
    }

    /// Queues another answer to a question, as a sibling of the existing ones.
    /// - Parameters:
    ///   - request: an answer, or the question to answer again.
    ///   - user: the user.
    ///   - limits: the limits of the queue.
    /// - Returns: the pending answer, and its event.
    /// - Throws: `WireError.busy` if the queue is full.
    public func regenerate(
        _ request: MessageAgainRequest,
        by user: User,
        limits: QueueLimits
    ) async throws -> Committed<MessageAnswerReply> {
        let keyed = try KeyedRequest(
            request.key,
            of: user.id,
            hash: RequestHash.of(request, as: .messageRegenerate)
        )
        return try await turn(keyed, in: request.conversation, limits) {
            transaction,
            lock,
            slot in
            let message = try await transaction.message(request.message, in: lock.id)
            guard let question = message.role == .user ? message.id : message.parent else {
                throw WireError.noSuchMessage
            }
            return try await transaction.insertAnswer(
                NewTurn(
                    question: nil,
                    branch: NewTurn.Branch(parent: question, isSelected: true),
                    by: user
                ),
                to: question,
                lock,
                in: slot
            )
        }
    }

    /// Queues an answer that continues one that ended early: it begins with that one's text.
    /// - Throws: `WireError.badRequest` if there is nothing to continue; `.busy` if the answer is
    ///   still running, or the queue is full.
    public func `continue`(
        _ request: MessageAgainRequest,
        by user: User,
        limits: QueueLimits
    ) async throws -> Committed<MessageAnswerReply> {
        let keyed = try KeyedRequest(
            request.key,
            of: user.id,
            hash: RequestHash.of(request, as: .messageContinue)
        )
        return try await turn(keyed, in: request.conversation, limits) {
            transaction,
            lock,
            slot in
            let message = try await transaction.message(request.message, in: lock.id)
            let question = try message.requireContinuable()
            var turn = NewTurn(
                question: nil,
                branch: NewTurn.Branch(parent: question, isSelected: true),
                by: user
            )
            turn.continued = (message.id, message.text)
            return try await transaction.insertAnswer(turn, to: question, lock, in: slot)
        }
    }
}

extension Message {
    /// - Returns: the answer's question.
    fileprivate func requireContinuable() throws(WireError) -> MessageID {
        guard role == .assistant, let parent else {
            throw WireError(.badRequest, "only an answer can be continued")
        }
        guard state.isFinal else {
            throw WireError(.busy, "this answer is still being generated", retryAfter: 2)
        }
        guard state != .complete || finish == .length else {
            throw WireError(.badRequest, "this answer is complete: there is nothing to add")
        }
        guard !text.isEmpty else {
            throw WireError(.badRequest, "this answer has no text to continue: regenerate it")
        }
        return parent
    }
}

extension StoreTransaction {
    /// A message that is not deleted.
    func message(
        _ id: MessageID,
        in conversation: ConversationID
    ) async throws -> Message {
        let rows = try await query(
            """
            SELECT \(MessageSelection.columns) FROM messages m \(MessageSelection.author)
            WHERE m.conversation_id = $1 AND m.id = $2 AND m.deleted_at IS NULL
            """,
            [.uuid(conversation), .uuid(id)]
        )
        guard let row = rows.first else { throw WireError.noSuchMessage }
        return try Message(row: row)
    }
}
