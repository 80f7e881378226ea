// Members of conversations.

import ChatCore
public import ChatProtocol
import Postgres

/// A change of a conversation's members.
public struct MemberChange: Sendable {
    /// The member who was added, changed or removed.
    public let user: User
    /// All members after the change.
    public let members: [Member]
}

extension ConversationStore {
    /// Adds a member, or changes a member's role. Only members of the team can be members of a
    /// team's conversation.
    /// - Throws: `WireError.notFound` if there is no such user; `.forbidden` if the conversation
    ///   would have no owner.
    public func addMember(
        _ request: MemberAddRequest,
        by user: UserID
    ) async throws -> Committed<MemberChange> {
        let role = request.role ?? .editor
        return try await pool.transaction { transaction in
            let team = try await transaction.team(of: request.conversation)
            let found = try await transaction.user(named: request.user, in: team)
            // Only members who may add users learn whether a name exists.
            let lock = try await transaction.lock(
                request.conversation,
                for: user,
                to: .manageMembers
            )
            guard lock.team == team else { throw WireError.movedMeanwhile }
            guard let added = found else {
                throw WireError(
                    .notFound,
                    team == nil
                        ? "there is no user of that name"
                        : "there is nobody of that name in the team"
                )
            }
            try await transaction.putMember(added.id, role, in: request.conversation)
            try await transaction.requireOwner(request.conversation)
            return try await transaction.commitMember(
                added,
                role,
                in: request.conversation,
                after: lock.eventNumber
            )
        }
    }

    /// Removes a member; every member may remove themselves.
    /// - Throws: `WireError.forbidden` if the conversation would have no owner.
    public func removeMember(
        _ request: MemberRemoveRequest,
        by user: UserID
    ) async throws -> Committed<MemberChange> {
        let action: ConversationAction = request.user == user ? .leave : .manageMembers
        return try await pool.transaction { transaction in
            let lock = try await transaction.lock(request.conversation, for: user, to: action)
            let name = try await transaction.dropMember(request.user, of: request.conversation)
            guard let name else { throw WireError.noSuchMember }
            try await transaction.requireOwner(request.conversation)
            return try await transaction.commitMember(
                User(id: request.user, name: name),
                nil,
                in: request.conversation,
                after: lock.eventNumber
            )
        }
    }
}

extension StoreTransaction {
    /// The user with a name, in any case; if a team is given, only a member of it, who cannot leave
    /// it before the transaction ends.
    fileprivate func user(named name: String, in team: TeamID?) async throws -> User? {
        let found = try await query(
            "SELECT id, name FROM users WHERE lower(name) = lower($1) AND deleted_at IS NULL",
            [.text(name)]
        )
        guard let row = found.first else { return nil }
        let id = try row.id("id", of: User.self)
        if let team, try await heldRole(of: id, in: team) == nil { return nil }
        return User(id: id, name: try row.decode("name", as: String.self))
    }

    fileprivate func requireOwner(_ conversation: ConversationID) async throws {
        let owners = try await query(
            "SELECT FROM members WHERE conversation_id = $1 AND role = 'owner' LIMIT 1",
            [.uuid(conversation)]
        )
        guard !owners.isEmpty else {
            throw WireError(.forbidden, "a conversation needs an owner; delete it instead")
        }
    }

    /// Inserts the event for a change of members.
    /// - Parameters:
    ///   - member: the member who was added, changed or removed.
    ///   - role: their new role; nil if they were removed.
    ///   - conversation: the conversation; its row is locked.
    ///   - number: the number of its last event.
    /// - Returns: the members after the change, and the event.
    /// - Throws: `PostgresError`.
    func commitMember(
        _ member: User,
        _ role: Role?,
        in conversation: ConversationID,
        after number: Int64
    ) async throws -> Committed<MemberChange> {
        let event = MemberChanged(
            conversation: conversation,
            n: number + 1,
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
                    id: try row.id("id", of: User.self),
                    name: try row.decode("name", as: String.self)
                ),
                role: try row.word("role", as: Role.self)
            )
        }
        return Committed(
            value: MemberChange(user: member, members: members),
            events: [.memberChanged(event)]
        )
    }
}
