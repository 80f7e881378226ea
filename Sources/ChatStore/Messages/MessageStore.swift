// Messages: storing a question with its pending answer in one transaction, and reading pages of a
// branch.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// Messages: their tree, its branches, and operations on them.
public struct MessageStore {
    let pool: StorePool

    /// Stores a question, its pending answer and its queue row, all or nothing. Repeating the key
    /// returns the first reply and stores nothing.
    ///
    /// The question's parent is the message that it names, or the leaf of the branch that it names,
    /// or the leaf of the branch that the user sees. Concurrent questions follow one another.
    /// - Throws: `WireError.busy` if the queue is full.
    public func send(
        _ request: MessageSendRequest,
        by user: User,
        limits: QueueLimits
    ) async throws -> Committed<MessageSendReply> {
        let keyed = try KeyedRequest(request.key, of: user.id, hash: RequestHash.of(request))
        return try await turn(keyed, in: request.conversation, limits) {
            transaction,
            lock,
            slot in
            let branch = try await transaction.branch(of: request, lock)
            var turn = NewTurn(question: request.text, branch: branch, by: user)
            if request.priority == .batch { turn.priority = .batch }
            return try await transaction.insertTurn(turn, lock, in: slot)
        }
    }

    /// A page of a branch: the messages before a given one; otherwise the newest of the branch
    /// through `leaf`; otherwise the newest of the branch that the user sees.
    /// - Throws: `WireError.notFound` if the user is not a member of the conversation, or a message
    ///   is not in it.
    public func page(
        of conversation: ConversationID,
        before: MessageID?,
        leaf: MessageID? = nil,
        limit: Int,
        for user: UserID
    ) async throws -> MessageListReply {
        let choice = try await branchChoice(of: user, in: conversation)
        let last: MessageID?
        if let before {
            let rows = try await pool.query(
                "SELECT parent_id FROM messages WHERE conversation_id = $1 AND id = $2",
                [.uuid(conversation), .uuid(before)]
            )
            guard let row = rows.first else { throw WireError.noSuchMessage }
            last = try row.optionalID("parent_id", of: Message.self)
        } else if let leaf {
            last = try await self.leaf(through: leaf, in: conversation)
            guard last != nil else { throw WireError.noSuchMessage }
        } else {
            last = try await shownLeaf(choice, in: conversation)
        }
        return try await page(of: conversation, endingAt: last, limit: limit)
    }

    /// The page of a branch that ends at a message; an empty one for nil.
    func page(
        of conversation: ConversationID,
        endingAt last: MessageID?,
        limit: Int
    ) async throws -> MessageListReply {
        guard let last else { return MessageListReply(messages: [], more: false) }
        let rows = try await pool.query(
            MessageSelection.branch + """
                SELECT \(MessageSelection.wireColumns) FROM m \(MessageSelection.author)
                ORDER BY m.depth
                """,
            [.uuid(conversation), .uuid(last), .int32(Int32(clamping: limit))]
        )
        let messages = try rows.map { try Message(wireRow: $0) }
        return MessageListReply(messages: messages, more: messages.first?.parent != nil)
    }

    /// The branch that ends at a message, oldest first, at most the newest `limit`.
    func branch(
        of conversation: ConversationID,
        endingAt last: MessageID,
        limit: Int
    ) async throws -> [Message] {
        let rows = try await pool.query(
            MessageSelection.branch + """
                SELECT \(MessageSelection.columns) FROM m \(MessageSelection.author)
                ORDER BY m.depth
                """,
            [.uuid(conversation), .uuid(last), .int32(Int32(clamping: limit))]
        )
        return try rows.map { try Message(row: $0) }
    }

    /// A message's conversation and state, and the user's rights in the conversation.
    /// - Returns: nil if the message does not exist or is deleted.
    public func access(
        to message: MessageID,
        for user: UserID
    ) async throws -> (conversation: ConversationID, standing: Standing, state: MessageState)? {
        let rows = try await pool.query(
            """
            SELECT \(StandingSelection.columns), message.conversation_id, message.state
            FROM messages message
            JOIN conversations c ON c.id = message.conversation_id AND c.deleted_at IS NULL
            \(StandingSelection.joins(user: "$2"))
            WHERE message.id = $1 AND message.deleted_at IS NULL
            """,
            [.uuid(message), .uuid(user)]
        )
        return try rows.first.map { row in
            (
                try row.id("conversation_id", of: Conversation.self), try row.standing(),
                try row.word("state", as: MessageState.self)
            )
        }
    }
}

extension StoreTransaction {
    /// The branch that a new question extends.
    fileprivate func branch(
        of request: MessageSendRequest,
        _ lock: LockedConversation
    ) async throws -> NewTurn.Branch {
        let shown: MessageID? =
            if let selected = lock.selected {
                try await leaf(through: selected, in: lock.id) ?? lock.leaf
            } else {
                lock.leaf
            }
        guard let named = request.parent ?? request.leaf else {
            return NewTurn.Branch(parent: shown, isSelected: false)
        }
        // The conversation's newest message has no replies: most questions end here.
        let parent =
            request.parent != nil || named == lock.leaf
            ? named : try await leaf(through: named, in: lock.id)
        guard let parent else { throw WireError.noSuchMessage }
        // A user who follows the newest message sees it anyway; others are switched to its branch.
        return NewTurn.Branch(parent: parent, isSelected: lock.selected != nil && parent != shown)
    }
}
