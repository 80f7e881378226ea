// Conversations that are open to their team: listing and joining them.

import ChatCore
public import ChatProtocol
import Postgres

extension ConversationStore {
    /// A page of the conversations that are open to a team, newest first.
    /// - Throws: `WireError.notFound` if the user is not in the team.
    public func openConversations(
        _ request: TeamPageRequest,
        limit: Int,
        for user: UserID
    ) async throws -> TeamConversationsReply {
        let before = try request.cursor.map { cursor throws(WireError) in
            guard let id = ConversationID(cursor) else {
                throw WireError(.badRequest, "invalid cursor: list again without one")
            }
            return id
        }
        let rows = try await pool.transaction { transaction in
            try await transaction.require(.see, of: user, in: request.team)
            return try await transaction.query(
                """
                SELECT c.id, c.title, c.updated_at,
                    (SELECT count(*) FROM members m WHERE m.conversation_id = c.id) AS members,
                    EXISTS (
                        SELECT FROM members m WHERE m.conversation_id = c.id AND m.user_id = $2
                    ) AS joined
                FROM conversations c
                WHERE c.team_id = $1 AND c.is_open AND c.deleted_at IS NULL
                    AND ($3::uuid IS NULL OR c.id < $3)
                ORDER BY c.id DESC LIMIT $4
                """,
                [
                    .uuid(request.team), .uuid(user), .optional(before), .int64(Int64(limit) + 1),
                ]
            )
        }
        let page = try rows.prefix(limit).map { row in
            OpenConversation(
                conversation: try row.id("id", of: Conversation.self),
                title: try row.decode("title", as: String.self),
                members: Int(try row.decode("members", as: Int64.self)),
                updatedAt: try row.timestamp("updated_at"),
                joined: try row.decode("joined", as: Bool.self)
            )
        }
        return TeamConversationsReply(
            conversations: page,
            cursor: rows.count > limit ? page.last?.conversation.description : nil
        )
    }

    /// Joins a conversation that is open to one of the user's teams, as an editor, or as a reader
    /// if they are a viewer in the team. A member's role does not change.
    /// - Throws: `WireError.notFound` if it does not exist or is not open to them.
    public func join(
        _ id: ConversationID,
        by user: User
    ) async throws -> Committed<Conversation> {
        try await pool.transaction { transaction in
            guard let team = try await transaction.team(of: id),
                let role = try await transaction.heldRole(of: user.id, in: team)
            else { throw WireError.noSuchConversation }
            let rows = try await transaction.query(
                """
                SELECT event_number, is_open FROM conversations
                WHERE id = $1 AND deleted_at IS NULL FOR UPDATE
                """,
                [.uuid(id)]
            )
            let known = try await transaction.query(
                "SELECT FROM members WHERE conversation_id = $1 AND user_id = $2",
                [.uuid(id), .uuid(user.id)]
            )
            guard let row = rows.first else { throw WireError.noSuchConversation }
            var events: [ServerEvent] = []
            if known.isEmpty {
                guard try row.decode("is_open", as: Bool.self) else {
                    throw WireError.noSuchConversation
                }
                let given: Role =
                    Permission.decide(.write, as: role) == .granted ? .editor : .viewer
                try await transaction.putMember(user.id, given, in: id)
                events = try await transaction.commitMember(
                    User(id: user.id, name: user.name),
                    given,
                    in: id,
                    after: try row.decode("event_number", as: Int64.self)
                ).events
            }
            return Committed(
                value: try await transaction.conversation(id, for: user.id),
                events: events
            )
        }
    }
}
