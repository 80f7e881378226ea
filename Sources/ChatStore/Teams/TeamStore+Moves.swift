// Giving a conversation to a team. From then on it is the team's, as if it had been begun there.

import ChatCore
public import ChatProtocol
import Postgres

extension TeamStore {
    /// Gives a conversation, which belongs to its members alone, to a team that all of them are in.
    /// The same again changes nothing. What answers use that wait or grow by then is not the team's.
    /// - Throws: `WireError.notFound` where the asker sees no such conversation or team;
    ///   `.forbidden` where they may not begin conversations in the team, where somebody in this one
    ///   is not in the team, or where it is another team's.
    public func moveConversation(
        _ request: ConversationMoveRequest,
        by user: User
    ) async throws -> Committed<Conversation> {
        try await pool.transaction { transaction in
            // Teams are locked before conversations, and to whom the conversation is invisible,
            // nothing is told of the team.
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
                "conversation.moved",
                by: Actor(user),
                team: request.team,
                object: lock.id.description
            )
            return Committed(value: conversation, events: [event])
        }
    }
}

extension WireError {
    /// What is said where a conversation came into a team while its lock was waited for.
    static let movedMeanwhile = WireError(
        .conflict,
        "the conversation was just moved into a team: try again"
    )
}

extension StoreTransaction {
    /// What the members of a conversation are in a team, for as long as the transaction lasts;
    /// those who are not in it are left out.
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

    /// Refuses to go on where somebody is in a conversation who is not among some people.
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
