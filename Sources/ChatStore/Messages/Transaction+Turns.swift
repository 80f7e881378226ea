// Inserts new messages into a conversation whose row is locked: a question with its pending answer,
// or another answer. Each message takes an event number, and the answer takes a queue position.

import ChatCore
import ChatProtocol
import FoundationEssentials
import Postgres

/// A question with its pending answer, or another answer, to be stored.
struct NewTurn {
    /// The branch that the new messages extend.
    struct Branch {
        /// The parent of the first new message; nil for the first message of a conversation.
        let parent: MessageID?
        /// Whether this branch becomes the one that the author sees.
        let isSelected: Bool
    }

    let branch: Branch
    let user: User
    /// The text of the question; nil if only an answer is added.
    let question: String?
    /// The answer that the new one continues, and its text.
    var continued: (message: MessageID, text: String)?
    /// The text with which an answer begins that continues no other one.
    var beginning = ""
    /// Bytes of text that the prompt has besides the new messages and the conversation's last
    /// prompt.
    var repeatedTextBytes = 0
    /// The priority of the answer in the queue.
    var priority = QueuePriority.interactive
    /// The id of the question, if there is one.
    var questionID = MessageID.make()
    /// The id of the answer.
    var answerID = MessageID.make()

    init(question: String?, branch: Branch, by user: User) {
        self.question = question
        self.branch = branch
        self.user = user
    }
}

/// The stored rows and events of a turn.
private struct InsertedTurn {
    var messages: [Message]
    var events: [ServerEvent]
    let queued: QueueRow
    let reservation: Reservation
}

extension MessageStore {
    /// Stores a pending answer in one transaction, once per key.
    ///
    /// It takes two round trips if `make` awaits nothing: one for all reads, one for all writes
    /// and the commit.
    func turn<Reply: Codable & Sendable>(
        _ request: KeyedRequest,
        in conversation: ConversationID,
        _ limits: QueueLimits,
        make: (StoreTransaction, LockedConversation, QueueSlot) async throws
            -> Committed<Reply>
    ) async throws -> Committed<Reply> {
        try await pool.keyed { transaction in
            let locked = try transaction.sendLock(conversation, for: request.user)
            let replay = try transaction.sendReplay(of: request)
            let slotRequest = try transaction.sendSlotRequest(
                for: request.user,
                in: conversation,
                limits
            )
            if let reply = try await transaction.replay(of: request, replay, as: Reply.self) {
                return Committed(value: reply, events: [])
            }
            let lock = try await transaction.lock(conversation, locked, to: .write)
            let slot = try await transaction.requireSlot(slotRequest, limits)
            var committed = try await make(transaction, lock, slot)
            committed.text = try transaction.keep(committed.value, of: request)
            return committed
        }
    }
}

extension StoreTransaction {
    /// Stores a question and its pending answer, and adds the answer to the queue.
    func insertTurn(
        _ turn: NewTurn,
        _ lock: LockedConversation,
        in slot: QueueSlot
    ) async throws -> Committed<MessageSendReply> {
        let text = turn.question ?? ""
        let named = try await membersNamed(in: text, of: lock.id, by: turn.user.id)
        let question = Message(
            id: turn.questionID,
            conversation: lock.id,
            parent: turn.branch.parent,
            role: .user,
            author: User(id: turn.user.id, name: turn.user.name),
            text: text,
            state: .complete,
            createdAt: .now,
            mentions: named.isEmpty ? nil : named
        )
        let answer = queuedAnswer(to: question.id, in: lock.id, turn)
        var committed = try await insert([question, answer], turn, lock, in: slot)
        try insertMentions(of: named, in: question, n: lock.eventNumber + 1)
        if lock.title.isEmpty {
            let n = lock.eventNumber + 3
            committed.events.append(
                try await retitle(
                    lock.id,
                    TitleRule.title(from: question.text),
                    n,
                    isFinal: false
                )
            )
        }
        let reply = MessageSendReply(
            message: committed.messages[0],
            answer: committed.messages[1],
            n: lock.eventNumber + 2,
            reserved: committed.reservation.tokens,
            shortenedTo: committed.reservation.shortenedTo,
            allowance: committed.reservation.allowance
        )
        return Committed(value: reply, events: committed.events, queued: [committed.queued])
    }

    /// Stores another pending answer to a stored question, and adds it to the queue.
    func insertAnswer(
        _ turn: NewTurn,
        to question: MessageID,
        _ lock: LockedConversation,
        in slot: QueueSlot
    ) async throws -> Committed<MessageAnswerReply> {
        let answer = queuedAnswer(to: question, in: lock.id, turn)
        let committed = try await insert([answer], turn, lock, in: slot)
        let reply = MessageAnswerReply(
            answer: committed.messages[0],
            n: lock.eventNumber + 1,
            reserved: committed.reservation.tokens,
            shortenedTo: committed.reservation.shortenedTo,
            allowance: committed.reservation.allowance
        )
        return Committed(value: reply, events: committed.events, queued: [committed.queued])
    }

    private func queuedAnswer(
        to question: MessageID,
        in conversation: ConversationID,
        _ turn: NewTurn
    ) -> Message {
        Message(
            id: turn.answerID,
            conversation: conversation,
            parent: question,
            role: .assistant,
            author: nil,
            text: turn.continued?.text ?? turn.beginning,
            state: .queued,
            run: .make(),
            createdAt: .now,
            continues: turn.continued?.message
        )
    }

    /// Stores messages, each the parent of the next one; the last one is an answer.
    private func insert(
        _ messages: [Message],
        _ turn: NewTurn,
        _ lock: LockedConversation,
        in slot: QueueSlot
    ) async throws -> InsertedTurn {
        var messages = messages
        let reservation = try slot.reserve(
            newTextBytes: messages.reduce(turn.repeatedTextBytes) { $0 + $1.text.utf8.count },
            lock.answers
        )
        try await requireCounted(turn, lock, in: slot)
        let depth = try await depth(of: messages[0].parent, in: lock)
        let n = lock.eventNumber + Int64(messages.count)
        let answer = messages[messages.count - 1]
        var stored = messages
        if slot.freeSlots(for: lock.answers) != nil {
            // Its row says that it is claimed. For clients it is queued until it has started.
            stored[stored.count - 1].state = .streaming
        }
        try insert(stored, depth: depth + 1, n: lock.eventNumber + 1)
        let row = try enqueue(
            answer,
            n: n,
            in: lock,
            slot: slot,
            reservation,
            by: turn.user.id,
            priority: turn.priority
        )
        // A reply to the leaf has no siblings.
        if turn.branch.isSelected || messages[0].parent != lock.leaf {
            let siblings = try await children(of: messages[0].parent, in: lock.id)
            if siblings.count > 1 { messages[0].siblings = siblings }
        }
        if !lock.isNew {
            let hasTitle = turn.question == nil || !lock.title.isEmpty
            try touch(lock, leaf: answer.id, eventNumber: hasTitle ? n : n + 1, by: turn.user.id)
        }
        if turn.branch.isSelected {
            try await select(answer.id, in: lock.id, for: turn.user.id)
        }
        let first = lock.eventNumber + 1
        let events = messages.enumerated().map { index, message in
            ServerEvent.messageCreated(
                MessageCreated(conversation: lock.id, n: first + Int64(index), message: message)
            )
        }
        return InsertedTurn(
            messages: messages,
            events: events,
            queued: row,
            reservation: reservation
        )
    }

    /// Inserts messages, each the parent of the next one, and the events that create them, in one
    /// statement.
    /// - Parameters:
    ///   - messages: the messages, of one conversation.
    ///   - depth: the depth of the first one.
    ///   - n: the number of the first one's event.
    /// - Throws: `PostgresError` if the transaction has ended.
    private func insert(_ messages: [Message], depth: Int32, n: Int64) throws {
        let conversation = messages[0].conversation
        let name = ServerEvent.Name.messageCreated.rawValue
        var parameters: [PostgresValue] = [.uuid(conversation), .uuid(node)]
        var (rows, events): ([String], [String]) = ([], [])
        for (index, message) in messages.enumerated() {
            let first = parameters.count + 1
            parameters += [
                .uuid(message.id), .int64(n + Int64(index)), .optional(message.parent),
                .int32(depth + Int32(index)), .text(message.role.rawValue),
                .optional(message.author?.id), .text(message.text), .text(message.state.rawValue),
                .optional(message.run), .date(message.createdAt.date), .optional(message.continues),
            ]
            let columns = (first...parameters.count).map { "$\($0)" }
            rows.append("($1, \(columns.joined(separator: ", ")))")
            events.append("($1, \(columns[1]), '\(name)', \(columns[0]))")
        }
        let elsewhere = try send(
            """
            WITH message AS (
                INSERT INTO messages
                    (conversation_id, id, created_n, parent_id, depth, role, author_id, body, state,
                    run_id, created_at, continues_id)
                VALUES \(rows.joined(separator: ", "))
            ), event AS (
                INSERT INTO events (conversation_id, n, name, message_id)
                VALUES \(events.joined(separator: ", "))
            )
            SELECT FROM node_watches WHERE topic = $1 AND node_id IS DISTINCT FROM $2 LIMIT 1
            """,
            parameters
        )
        noteEvent(in: conversation, isWatchedElsewhere: elsewhere)
    }

    private func depth(
        of message: MessageID?,
        in lock: LockedConversation
    ) async throws -> Int32 {
        guard let message else { return 0 }
        if message == lock.leaf, let depth = lock.leafDepth { return depth }
        let rows = try await query(
            """
            SELECT depth FROM messages
            WHERE conversation_id = $1 AND id = $2 AND deleted_at IS NULL
            """,
            [.uuid(lock.id), .uuid(message)]
        )
        guard let row = rows.first else { throw WireError.noSuchMessage }
        return try row.decode("depth", as: Int32.self)
    }

    private func touch(
        _ conversation: LockedConversation,
        leaf: MessageID,
        eventNumber: Int64,
        by author: UserID
    ) throws {
        try send(
            """
            UPDATE conversations SET event_number = $2, leaf_id = $3, updated_at = now()
            WHERE id = $1
            """,
            [.uuid(conversation.id), .int64(eventNumber), .uuid(leaf)]
        )
        // A request's conversation has no members.
        guard !conversation.answers.isOfRequest else { return }
        try tellLists(of: conversation.id, .said(by: author))
    }
}
