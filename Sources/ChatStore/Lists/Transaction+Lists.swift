// The numbers of users' lists. A change that lists show takes the next number in each member's
// list, in the transaction of the change.
//
// Locks are taken in one order, so that transactions do not deadlock: rows of teams and
// folders, the row of the conversation, the counters in the order of the users' ids, the rows of members.

import ChatProtocol
import Postgres

/// SQL that allocates list numbers.
enum ListNumbers {
    /// A common table expression `counted (user_id, u)`: the next number of each user's list.
    /// - Parameter users: a query of one column `user_id`.
    /// - Returns: the expression, without WITH.
    static func next(of users: String) -> String {
        """
        counted AS (
            INSERT INTO list_positions AS p (user_id, u)
            SELECT user_id, 1 FROM (\(users)) everybody ORDER BY user_id
            ON CONFLICT (user_id) DO UPDATE SET u = p.u + 1
            RETURNING p.user_id, p.u
        )
        """
    }

    /// The next number of the list of each member of conversation `$1`.
    static let ofMembers = next(of: "SELECT user_id FROM members WHERE conversation_id = $1")
}

/// A change of a conversation that its members' lists show.
enum ListNews {
    /// Its title or another property changed.
    case changed
    /// A user sent a message: the conversation moves up, and is unread for the others.
    case said(by: UserID)
    /// An answer ended: the conversation is unread.
    case answered
}

extension StoreTransaction {
    /// Adds a change of a conversation to its members' lists, without waiting for the result. The
    /// conversation's row must be locked.
    func tellLists(of conversation: ConversationID, _ news: ListNews) throws {
        let (isActive, isUnread, author): (Bool, Bool, UserID?) =
            switch news {
            case .changed: (false, false, nil)
            case .said(let author): (true, true, author)
            case .answered: (false, true, nil)
            }
        try send(
            """
            WITH \(ListNumbers.ofMembers)
            UPDATE members m
            SET list_u = counted.u,
                activity_at = CASE WHEN $2 THEN now() ELSE m.activity_at END,
                -- Only the author's own message takes the conversation out of their archive.
                archived_at = CASE WHEN $2 AND m.user_id = $4 THEN NULL ELSE m.archived_at END,
                unread = m.unread
                    + CASE WHEN $3 AND m.user_id IS DISTINCT FROM $4 THEN 1 ELSE 0 END
            FROM counted
            WHERE m.conversation_id = $1 AND m.user_id = counted.user_id
            """,
            [.uuid(conversation), .bool(isActive), .bool(isUnread), .optional(author)]
        )
    }

    /// Adds a change of teams, or of their members, to the lists of their members, without waiting
    /// for the result. No conversation may be locked afterwards.
    /// - Parameters:
    ///   - teams: the teams; their rows must be locked.
    ///   - leaver: a user who has left the teams, and whose list changes, too; nil for none.
    /// - Throws: `PostgresError` if the transaction has ended.
    func tellLists(ofTeams teams: [TeamID], and leaver: UserID? = nil) throws {
        try send(
            """
            WITH affected AS (
                SELECT user_id, team_id, count(*) OVER (PARTITION BY user_id) AS steps,
                    row_number() OVER (PARTITION BY user_id ORDER BY team_id) AS step
                FROM (
                    SELECT user_id, team_id FROM team_members WHERE team_id = ANY ($1)
                    UNION
                    SELECT $2::uuid, t.id FROM unnest($1::uuid[]) AS t (id)
                    WHERE $2::uuid IS NOT NULL
                ) everybody
            ), counted AS (
                INSERT INTO list_positions AS p (user_id, u)
                SELECT user_id, steps FROM affected WHERE step = 1 ORDER BY user_id
                ON CONFLICT (user_id) DO UPDATE SET u = p.u + excluded.u
                RETURNING p.user_id, p.u
            )
            INSERT INTO team_changes (user_id, team_id, u)
            SELECT a.user_id, a.team_id, counted.u - a.steps + a.step
            FROM affected a JOIN counted ON counted.user_id = a.user_id
            ON CONFLICT (user_id, team_id) DO UPDATE SET u = excluded.u
            """,
            [.uuidArray(teams.map(\.uuid)), .optional(leaver)]
        )
    }

    /// Adds the first member of a new conversation, its owner.
    func addOwner(_ user: UserID, of conversation: ConversationID) async throws {
        _ = try await query(
            """
            WITH \(ListNumbers.next(of: "SELECT $2::uuid AS user_id"))
            INSERT INTO members (conversation_id, user_id, role, list_u)
            SELECT $1, user_id, 'owner', u FROM counted
            """,
            [.uuid(conversation), .uuid(user)]
        )
    }

    /// Adds a member or changes a member's role, and adds the change to all members' lists. Earlier
    /// messages are marked as read for a new member.
    func putMember(_ user: UserID, _ role: Role, in conversation: ConversationID) async throws {
        _ = try await query(
            """
            WITH \(ListNumbers.next(of: """
                SELECT user_id FROM members WHERE conversation_id = $1 UNION SELECT $2::uuid
                """)), listed AS (
                DELETE FROM unlisted WHERE user_id = $2 AND conversation_id = $1
            )
            INSERT INTO members AS m (conversation_id, user_id, role, list_u, read_n)
            SELECT c.id, counted.user_id, $3, counted.u, c.event_number
            FROM counted, conversations c WHERE c.id = $1
            ON CONFLICT (conversation_id, user_id) DO UPDATE SET list_u = excluded.list_u,
                role = CASE WHEN m.user_id = $2 THEN excluded.role ELSE m.role END
            """,
            [.uuid(conversation), .uuid(user), .text(role.rawValue)]
        )
    }

    /// Removes a member, and adds the change to the lists of all members and of the removed one.
    /// - Returns: the name of the removed member; nil if the user was not a member.
    func dropMember(_ user: UserID, of conversation: ConversationID) async throws -> String? {
        let rows = try await query(
            """
            WITH \(ListNumbers.ofMembers), gone AS (
                DELETE FROM members m USING counted
                WHERE m.conversation_id = $1 AND m.user_id = $2 AND counted.user_id = $2
                RETURNING m.user_id
            ), noted AS (
                INSERT INTO unlisted (user_id, conversation_id, u)
                SELECT user_id, $1, u FROM counted WHERE user_id = $2
                ON CONFLICT (user_id, conversation_id) DO UPDATE SET u = excluded.u
            ), told AS (
                UPDATE members m SET list_u = counted.u FROM counted
                WHERE m.conversation_id = $1 AND m.user_id = counted.user_id AND m.user_id <> $2
            )
            SELECT u.name FROM gone JOIN users u ON u.id = gone.user_id
            """,
            [.uuid(conversation), .uuid(user)]
        )
        return try rows.first?.decode("name", as: String.self)
    }
}
