// Moves a conversation to a team. From then on it belongs to the team, as if it had been created
// there.

import ChatCore
public import ChatProtocol
import Postgres

extension TeamStore {
    /// Moves a conversation without a team to a team that all its members are in. Idempotent.
    /// Tokens of answers that are queued or running are not charged to the team.
    /// - Throws: `WireError.notFound` if the asker cannot see the conversation or the team;
    ///   `.forbidden` if they may not create conversations in the team, if a member of the
    ///   conversation is not in the team, or if it belongs to another team.
    public func moveConversation(
        _ request: ConversationMoveRequest,
        by user: User
    ) async throws -> Committed<Conversation> {
        try await pool.transaction { transaction in
            // Teams are locked before conversations, and a user who cannot see the conversation
            // learns nothing about the team.
            let held = try await transaction.heldRoles(
                ofMembersOf: request.conversation,
                in: request.team
            )
            let lock = try await transaction.lock(
                request.conversation,
                for: user.id,
                to: .manageMembers
            )
            guard lock.team != request.team else {
                let conversation = try await transaction.conversation(lock.id, for: user.id)
                return Committed(value: conversation, events: [])
            }
            let verdict = Permission.decide(TeamAction.write, as: held[user.id])
            if let refusal = verdict.refusal(invisible: .noSuchTeam) { throw refusal }
            guard lock.team == nil else {
                throw WireError(.forbidden, "a team's conversation stays in the team")
            }
            try await transaction.requireMembers(of: lock.id, among: Array(held.keys))
            _ = try await transaction.query(
                """
                UPDATE conversations SET team_id = $2, event_number = $3, updated_at = now()
                WHERE id = $1
                """,
                [.uuid(lock.id), .uuid(request.team), .int64(lock.eventNumber + 1)]
            )
            try transaction.tellLists(of: lock.id, .changed)
            let conversation = try await transaction.conversation(lock.id, for: user.id)
            let event = try await transaction.record(
                ConversationChange(conversation),
                of: conversation
            )
            try transaction.audit(
                .conversationMoved,
                by: Actor(user),
                team: request.team,
                object: lock.id.description
            )
            return Committed(value: conversation, events: [event])
        }
    }
}

extension WireError {
    /// For a conversation that was moved to a team while waiting for its lock.
    static let movedMeanwhile = WireError(
        .conflict,
        "the conversation was just moved into a team: try again"
    )
}

extension StoreTransaction {
    /// The team roles of a conversation's members, which cannot change until the transaction ends;
    /// members who are not in the team are omitted.
    fileprivate func heldRoles(
        ofMembersOf conversation: ConversationID,
        in team: TeamID
    ) async throws -> [UserID: TeamRole] {
        try send("SELECT FROM teams WHERE id = $1 FOR KEY SHARE", [.uuid(team)])
        let rows = try await query(
            """
            SELECT m.user_id, m.role FROM team_members m
            WHERE m.team_id = $1
                AND m.user_id IN (SELECT user_id FROM members WHERE conversation_id = $2)
            ORDER BY m.user_id FOR SHARE OF m
            """,
            [.uuid(team), .uuid(conversation)]
        )
        var roles: [UserID: TeamRole] = [:]
        for row in rows {
            roles[try row.id("user_id", of: User.self)] = try row.word("role", as: TeamRole.self)
        }
        return roles
    }

    /// Throws if a conversation has members other than some users.
    fileprivate func requireMembers(
        of conversation: ConversationID,
        among people: [UserID]
    ) async throws {
        let rows = try await query(
            """
            SELECT u.name FROM members m JOIN users u ON u.id = m.user_id
            WHERE m.conversation_id = $1 AND m.user_id <> ALL ($2)
            ORDER BY lower(u.name) LIMIT 10
            """,
            [.uuid(conversation), .uuidArray(people.map(\.uuid))]
        )
        guard !rows.isEmpty else { return }
        let names = try rows.map { try $0.decode("name", as: String.self) }.joined(separator: ", ")
        throw WireError(
            .forbidden,
            "not in the team: \(names); invite them into it, or remove them from here"
        )
    }
}
