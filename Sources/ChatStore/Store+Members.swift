// Who takes part in a conversation.

import ChatCore
public import ChatProtocol
import Postgres

/// A change of a conversation's members.
public struct MemberChange: Sendable {
    /// Who came, changed or left.
    public let user: User
    /// All members, as they are now.
    public let members: [Member]
}

extension Store {
    /// Adds a member, or changes a member's role.
    /// - Throws: `WireError.notFound` where there is no such user; `.forbidden` where it would leave
    ///   the conversation without an owner.
    public func addMember(
        _ request: MemberAddRequest,
        by user: UserID
    ) async throws -> Committed<MemberChange> {
        let role = request.role ?? .editor
        return try await pool.transaction { transaction in
            let lock = try await transaction.lock(
                request.conversation,
                for: user,
                to: .manageMembers
            )
            let found = try await transaction.query(
                "SELECT id, name FROM users WHERE lower(name) = lower($1)",
                [.text(request.user)]
            )
            guard let row = found.first else {
                throw WireError(.notFound, "there is no user of that name")
            }
            let added = User(
                id: try row.id(0, of: User.self),
                name: try row.decode(1, as: String.self)
            )
            try await transaction.putMember(added.id, role, in: request.conversation)
            try await transaction.requireOwner(request.conversation)
            return try await transaction.commitMember(
                added,
                role,
                in: request.conversation,
                lock,
                seenBy: user
            )
        }
    }

    /// Removes a member; anybody may remove themselves.
    /// - Throws: `WireError.forbidden` where it would leave the conversation without an owner.
    public func removeMember(
        _ request: MemberRemoveRequest,
        by user: UserID
    ) async throws -> Committed<MemberChange> {
        let action: ConversationAction = request.user == user ? .leave : .manageMembers
        return try await pool.transaction { transaction in
            let lock = try await transaction.lock(request.conversation, for: user, to: action)
            let name = try await transaction.dropMember(request.user, of: request.conversation)
            guard let name else {
                throw WireError(.notFound, "there is no such member")
            }
            try await transaction.requireOwner(request.conversation)
            return try await transaction.commitMember(
                User(id: request.user, name: name),
                nil,
                in: request.conversation,
                lock,
                seenBy: user
            )
        }
    }
}

extension PostgresTransaction {
    fileprivate func requireOwner(_ conversation: ConversationID) async throws {
        let owners = try await query(
            "SELECT FROM members WHERE conversation_id = $1 AND role = 'owner' LIMIT 1",
            [.uuid(conversation)]
        )
        guard !owners.isEmpty else {
            throw WireError(.forbidden, "a conversation needs an owner; delete it instead")
        }
    }

    fileprivate func commitMember(
        _ member: User,
        _ role: Role?,
        in conversation: ConversationID,
        _ lock: LockedConversation,
        seenBy user: UserID
    ) async throws -> Committed<MemberChange> {
        let event = MemberChanged(
            conversation: conversation,
            n: lock.eventNumber + 1,
            user: member,
            role: role
        )
        _ = try await query(
            "UPDATE conversations SET event_number = $2 WHERE id = $1",
            [.uuid(conversation), .int64(event.n)]
        )
        try insertEvent(.memberChanged, event.n, in: conversation, payload: .json(event))
        let rows = try await query(
            """
            SELECT u.id, u.name, m.role FROM members m JOIN users u ON u.id = m.user_id
            WHERE m.conversation_id = $1 ORDER BY m.role = 'owner' DESC, m.joined_at, u.id
            """,
            [.uuid(conversation)]
        )
        let members = try rows.map { row in
            Member(
                user: User(
                    id: try row.id(0, of: User.self),
                    name: try row.decode(1, as: String.self)
                ),
                role: try row.word(2, as: Role.self)
            )
        }
        return Committed(
            value: MemberChange(user: member, members: members),
            events: [.memberChanged(event)]
        )
    }
}
