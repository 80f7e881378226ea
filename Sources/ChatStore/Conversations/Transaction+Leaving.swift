// Removes a user from several conversations at once: the events and list numbers are the same as
// for leaving them one by one.

import ChatCore
import ChatProtocol
import FoundationEssentials
import Postgres

/// A conversation that a user leaves, whose row is locked.
struct LeftConversation {
    let id: ConversationID
    /// The number of its last event.
    let eventNumber: Int64
}

extension StoreTransaction {
    /// Removes a user, who has left the team, from its conversations, and adds that change to the
    /// lists of all its members. The transaction must not hold locks of conversations.
    /// - Returns: the events by conversation.
    /// - Throws: `PostgresError`.
    func leaveConversations(
        of team: TeamID,
        _ user: User
    ) async throws -> [ConversationID: [ServerEvent]] {
        // Ordered by id, as everywhere that more than one is locked.
        let locked = try await query(
            """
            SELECT c.id, c.event_number FROM conversations c
            WHERE c.team_id = $1
                AND EXISTS (SELECT FROM members WHERE conversation_id = c.id AND user_id = $2)
            ORDER BY c.id FOR UPDATE OF c
            """,
            [.uuid(team), .uuid(user.id)]
        )
        let left = try locked.map { row in
            LeftConversation(
                id: try row.id("id", of: Conversation.self),
                eventNumber: try row.decode("event_number", as: Int64.self)
            )
        }
        try lockLists(of: team, and: left.map(\.id), leaver: user.id)
        try tellLists(ofTeams: [team], and: user.id)
        return try await leave(left, user)
    }

    /// Locks the list counters of all members of a team and of some of its conversations, and of
    /// the leaving user, ordered by user id, before more than one statement increments them.
    private func lockLists(
        of team: TeamID,
        and conversations: [ConversationID],
        leaver: UserID
    ) throws {
        try send(
            """
            SELECT FROM list_positions WHERE user_id IN (
                SELECT user_id FROM team_members WHERE team_id = $1
                UNION SELECT user_id FROM members WHERE conversation_id = ANY ($2)
                UNION SELECT $3::uuid
            ) ORDER BY user_id FOR UPDATE
            """,
            [.uuid(team), .uuidArray(conversations.map(\.uuid)), .uuid(leaver)]
        )
    }

    /// Removes a user from conversations. If the only owner leaves, the editor with the longest
    /// membership becomes the owner, otherwise another member; in a team's conversation never a
    /// viewer of the team, but the team's first owner instead.
    /// - Parameters:
    ///   - left: the conversations, all of them locked.
    ///   - user: the leaving user.
    /// - Returns: the events by conversation.
    /// - Throws: `PostgresError`.
    func leave(
        _ left: [LeftConversation],
        _ user: User
    ) async throws -> [ConversationID: [ServerEvent]] {
        guard !left.isEmpty else { return [:] }
        let newOwners = try await newOwners(to: user.id, in: left.map(\.id))
        try dropMember(user.id, of: left, newOwners)
        return try insertEvents(of: user, leaving: left, newOwners)
    }

    /// The new owners of the conversations whose only owner leaves.
    private func newOwners(
        to user: UserID,
        in conversations: [ConversationID]
    ) async throws -> [ConversationID: User] {
        let rows = try await query(
            """
            SELECT c.id AS conversation_id, u.id, u.name
            FROM conversations c
            JOIN users u ON u.id = coalesce((
                SELECT m.user_id FROM members m
                JOIN users a ON a.id = m.user_id AND a.deleted_at IS NULL
                LEFT JOIN team_members t ON t.team_id = c.team_id AND t.user_id = m.user_id
                WHERE m.conversation_id = c.id AND m.user_id <> $2
                    AND (c.team_id IS NULL OR t.role <> 'viewer')
                ORDER BY m.role = 'editor' DESC, m.joined_at, m.user_id LIMIT 1
            ), (
                SELECT user_id FROM team_members WHERE team_id = c.team_id AND role = 'owner'
                ORDER BY joined_at, user_id LIMIT 1
            ))
            WHERE c.id = ANY ($1) AND NOT EXISTS (
                SELECT FROM members m JOIN users a ON a.id = m.user_id AND a.deleted_at IS NULL
                WHERE m.conversation_id = c.id AND m.role = 'owner' AND m.user_id <> $2
            )
            """,
            [.uuidArray(conversations.map(\.uuid)), .uuid(user)]
        )
        var newOwners: [ConversationID: User] = [:]
        for row in rows {
            newOwners[try row.id("conversation_id", of: Conversation.self)] = User(
                id: try row.id("id", of: User.self),
                name: try row.decode("name", as: String.self)
            )
        }
        return newOwners
    }

    /// Changes the members' rows, and allocates a number for each in each of their lists: counters
    /// first, ordered by user id.
    private func dropMember(
        _ user: UserID,
        of left: [LeftConversation],
        _ newOwners: [ConversationID: User]
    ) throws {
        let inherited = left.map(\.id).filter { newOwners[$0] != nil }
        try send(
            """
            WITH new_owners AS (
                SELECT * FROM unnest($3::uuid[], $4::uuid[]) AS h (conversation_id, user_id)
            ), affected AS (
                SELECT conversation_id, user_id, count(*) OVER (PARTITION BY user_id) AS steps,
                    row_number() OVER (PARTITION BY user_id ORDER BY conversation_id) AS step
                FROM (
                    SELECT conversation_id, user_id FROM members WHERE conversation_id = ANY ($1)
                    UNION SELECT conversation_id, user_id FROM new_owners
                ) everybody
            ), counted AS (
                INSERT INTO list_positions AS p (user_id, u)
                SELECT user_id, steps FROM affected WHERE step = 1 ORDER BY user_id
                ON CONFLICT (user_id) DO UPDATE SET u = p.u + excluded.u
                RETURNING p.user_id, p.u
            ), numbered AS (
                SELECT a.conversation_id, a.user_id, counted.u - a.steps + a.step AS u,
                    h.user_id IS NOT NULL AS inherits
                FROM affected a JOIN counted ON counted.user_id = a.user_id
                LEFT JOIN new_owners h
                    ON h.conversation_id = a.conversation_id AND h.user_id = a.user_id
            ), gone AS (
                DELETE FROM members m USING numbered n
                WHERE n.user_id = $2 AND m.user_id = $2 AND m.conversation_id = n.conversation_id
            ), noted AS (
                INSERT INTO unlisted (user_id, conversation_id, u)
                SELECT user_id, conversation_id, u FROM numbered WHERE user_id = $2
                ON CONFLICT (user_id, conversation_id) DO UPDATE SET u = excluded.u
            ), relisted AS (
                DELETE FROM unlisted l USING new_owners h
                WHERE l.user_id = h.user_id AND l.conversation_id = h.conversation_id
            )
            INSERT INTO members AS m (conversation_id, user_id, role, list_u, read_n)
            SELECT n.conversation_id, n.user_id,
                CASE WHEN n.inherits THEN 'owner' ELSE 'viewer' END, n.u, c.event_number
            FROM numbered n JOIN conversations c ON c.id = n.conversation_id
            WHERE n.user_id <> $2
            ON CONFLICT (conversation_id, user_id) DO UPDATE SET list_u = excluded.list_u,
                role = CASE WHEN excluded.role = 'owner' THEN 'owner' ELSE m.role END
            """,
            [
                .uuidArray(left.map(\.id.uuid)), .uuid(user),
                .uuidArray(inherited.map(\.uuid)),
                .uuidArray(inherited.compactMap { newOwners[$0]?.id.uuid }),
            ]
        )
    }

    private func insertEvents(
        of user: User,
        leaving left: [LeftConversation],
        _ newOwners: [ConversationID: User]
    ) throws -> [ConversationID: [ServerEvent]] {
        var changes: [MemberChanged] = []
        for conversation in left {
            var n = conversation.eventNumber
            let members: [(User?, Role?)] = [(user, nil), (newOwners[conversation.id], .owner)]
            for (member, role) in members {
                guard let member else { continue }
                n += 1
                changes.append(
                    MemberChanged(conversation: conversation.id, n: n, user: member, role: role)
                )
            }
        }
        try send(
            """
            WITH told AS (
                SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::text[]) AS t (id, n, payload)
            ), counted AS (
                UPDATE conversations c SET event_number = last.n
                FROM (SELECT id, max(n) AS n FROM told GROUP BY id) last WHERE c.id = last.id
            )
            INSERT INTO events (conversation_id, n, name, payload)
            SELECT id, n, $4, payload::jsonb FROM told
            """,
            [
                .uuidArray(changes.map(\.conversation.uuid)), .int64Array(changes.map(\.n)),
                .textArray(
                    changes.map { String(decoding: WireEncoding.text($0), as: UTF8.self) }
                ),
                .text(ServerEvent.Name.memberChanged.rawValue),
            ]
        )
        return Dictionary(grouping: changes, by: \.conversation).mapValues { changes in
            changes.map { .memberChanged($0) }
        }
    }
}
