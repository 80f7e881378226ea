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
            id: .make(),
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
            id: .make(),
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
        var n = lock.eventNumber
        for (index, message) in messages.enumerated() {
            n += 1
            try insert(message, depth: depth + Int32(index) + 1, n: n)
            try insertEvent(.messageCreated, n, in: lock.id, message: message.id)
        }
        let answer = messages[messages.count - 1]
        let row = try enqueue(
            answer.id,
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
        let hasTitle = turn.question == nil || !lock.title.isEmpty
        try touch(
            lock.id,
            leaf: answer.id,
            eventNumber: hasTitle ? n : n + 1,
            by: turn.user.id
        )
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

    private func insert(_ message: Message, depth: Int32, n: Int64) throws {
        try send(
            """
            INSERT INTO messages
                (conversation_id, id, parent_id, depth, role, author_id, body, state, run_id,
                created_at, created_n, continues_id)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            """,
            [
                .uuid(message.conversation), .uuid(message.id), .optional(message.parent),
                .int32(depth), .text(message.role.rawValue), .optional(message.author?.id),
                .text(message.text), .text(message.state.rawValue), .optional(message.run),
                .date(message.createdAt.date), .int64(n), .optional(message.continues),
            ]
        )
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
        _ conversation: ConversationID,
        leaf: MessageID,
        eventNumber: Int64,
        by author: UserID
    ) throws {
        try send(
            """
            UPDATE conversations SET event_number = $2, leaf_id = $3, updated_at = now()
            WHERE id = $1
            """,
            [.uuid(conversation), .int64(eventNumber), .uuid(leaf)]
        )
        try tellLists(of: conversation, .said(by: author))
    }
}
