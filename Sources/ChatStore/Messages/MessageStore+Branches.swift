// The branch that a member sees: the one through the message that they selected, down to the newest
// reply; or, without a selection, the branch of the newest message.

import ChatCore
public import ChatProtocol
import Postgres

/// The facts that decide which branch a member sees.
struct BranchChoice {
    /// The member's selection; nil to follow the newest message.
    let selected: MessageID?
    /// The conversation's newest message.
    let newest: MessageID?
}

extension MessageStore {
    /// Stores which branch a member sees when they open the conversation next. Other connections,
    /// including the member's own, are not notified: what they show stays.
    /// - Parameters:
    ///   - request: any message of the branch; without one, the member follows the newest message.
    ///   - user: the member.
    ///   - limit: maximum messages in the reply.
    /// - Returns: the newest page of the branch.
    /// - Throws: `WireError.notFound` if they are not a member, or the message is not in the
    ///   conversation.
    public func select(
        _ request: MessageSelectRequest,
        for user: UserID,
        limit: Int
    ) async throws -> MessageListReply {
        let conversation = request.conversation
        let choice = try await branchChoice(of: user, in: conversation)
        var leaf = choice.newest
        if let message = request.message {
            // The leaf is stored: a new answer above it must not switch the branch.
            leaf = try await self.leaf(through: message, in: conversation)
            guard leaf != nil else { throw WireError.noSuchMessage }
        }
        _ = try await pool.query(
            """
            UPDATE members SET selected_id = $3 WHERE conversation_id = $1 AND user_id = $2
                AND selected_id IS DISTINCT FROM $3
            """,
            [
                .uuid(conversation), .uuid(user),
                request.message == nil ? .null : .optional(leaf),
            ]
        )
        return try await page(of: conversation, endingAt: leaf, limit: limit)
    }

    /// The facts that decide which branch a user sees.
    /// - Throws: `WireError.notFound` if they are not a member.
    func branchChoice(
        of user: UserID,
        in conversation: ConversationID
    ) async throws -> BranchChoice {
        let rows = try await pool.query(
            """
            SELECT \(StandingSelection.columns), m.selected_id, c.leaf_id
            FROM conversations c \(StandingSelection.joins(user: "$2"))
            WHERE c.id = $1 AND c.deleted_at IS NULL
            """,
            [.uuid(conversation), .uuid(user)]
        )
        guard let row = rows.first else { throw WireError.noSuchConversation }
        if let refusal = Permission.decide(.read, try row.standing()).refusal { throw refusal }
        return BranchChoice(
            selected: try row.optionalID("selected_id", of: Message.self),
            newest: try row.optionalID("leaf_id", of: Message.self)
        )
    }

    /// The leaf of the selected branch; nil in an empty conversation.
    func shownLeaf(
        _ choice: BranchChoice,
        in conversation: ConversationID
    ) async throws -> MessageID? {
        guard let selected = choice.selected else { return choice.newest }
        return try await leaf(through: selected, in: conversation) ?? choice.newest
    }

    /// The leaf of the branch through a message; nil if the message does not exist.
    func leaf(
        through message: MessageID,
        in conversation: ConversationID
    ) async throws -> MessageID? {
        let rows = try await pool.query(
            MessageSelection.leaf,
            [.uuid(conversation), .uuid(message)]
        )
        return try rows.first?.id("id", of: Message.self)
    }
}

extension StoreTransaction {
    /// The leaf of the branch through a message; nil if the message does not exist.
    func leaf(
        through message: MessageID,
        in conversation: ConversationID
    ) async throws -> MessageID? {
        let rows = try await query(MessageSelection.leaf, [.uuid(conversation), .uuid(message)])
        return try rows.first?.id("id", of: Message.self)
    }

    /// The replies to a message, or the first messages for nil; oldest first.
    func children(
        of message: MessageID?,
        in conversation: ConversationID
    ) async throws -> [MessageID] {
        let rows = try await query(
            MessageSelection.children,
            [.uuid(conversation), .optional(message)]
        )
        return try rows.map { try $0.id("id", of: Message.self) }
    }

    /// Stores the branch that a member sees.
    func select(
        _ message: MessageID,
        in conversation: ConversationID,
        for user: UserID
    ) async throws {
        _ = try await query(
            "UPDATE members SET selected_id = $3 WHERE conversation_id = $1 AND user_id = $2",
            [.uuid(conversation), .uuid(user), .uuid(message)]
        )
    }
}
