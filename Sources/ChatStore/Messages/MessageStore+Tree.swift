// Other branches: a question said differently, an answer made anew, an answer that goes on. Nothing is
// overwritten; what was there stands beside what is new, and its author sees the new branch.

import ChatCore
public import ChatProtocol
import Postgres

extension MessageStore {
    /// Says something in place of a question: a new question beside it, and its answer-to-be.
    /// - Throws: `WireError.badRequest` where the message is an answer; `.busy` where the queue is
    ///   full.
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
            queuePlace in
            let message = try await transaction.message(request.message, in: lock.id)
            guard message.role == .user else {
                throw WireError(
                    .badRequest,
                    "this is an answer: regenerate it, or edit the question before it"
                )
            }
            let place = NewTurn.Place(parent: message.parent, isChoice: true)
            return try await transaction.insertTurn(
                NewTurn(question: request.text, place: place, by: user),
                lock,
                at: queuePlace
            )
        }
    }

    /// Has another answer made, beside those that there are.
    /// - Parameters:
    ///   - request: an answer, or the question that is to be answered again.
    ///   - user: who asks.
    ///   - limits: the bounds of the queue.
    /// - Returns: the answer-to-be, and the event that tells of it.
    /// - Throws: `WireError.busy` where the queue is full.
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
            queuePlace in
            let message = try await transaction.message(request.message, in: lock.id)
            guard let question = message.role == .user ? message.id : message.parent else {
                throw WireError.noSuchMessage
            }
            return try await transaction.insertAnswer(
                NewTurn(
                    question: nil,
                    place: NewTurn.Place(parent: question, isChoice: true),
                    by: user
                ),
                to: question,
                lock,
                at: queuePlace
            )
        }
    }

    /// Has an answer made that begins with the text of one that ended too early.
    /// - Throws: `WireError.badRequest` where there is nothing to go on from; `.busy` where the
    ///   answer still grows, or the queue is full.
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
            queuePlace in
            let message = try await transaction.message(request.message, in: lock.id)
            let question = try message.requireContinuable()
            var turn = NewTurn(
                question: nil,
                place: NewTurn.Place(parent: question, isChoice: true),
                by: user
            )
            turn.continued = (message.id, message.text)
            return try await transaction.insertAnswer(turn, to: question, lock, at: queuePlace)
        }
    }
}

extension Message {
    /// - Returns: the question that this answer answers.
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
