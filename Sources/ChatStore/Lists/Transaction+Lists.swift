// The numbers of users' lists. Each change of what a list shows takes the next number of each member, in
// the transaction that makes it true.
//
// Locks are taken in one order, so that no two transactions wait for each other: the conversation's row
// first, then the counters in the order of the users' ids, then the members' rows. Teams count in the same
// lists; their rows are locked before all of these.

import ChatProtocol
import Postgres

/// SQL that takes list numbers.
enum ListNumbers {
    /// A common table expression `counted (user_id, u)`: the next number of each of some users.
    /// - Parameter users: a query of one column `user_id`.
    /// - Returns: the expression, to stand after WITH.
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

    /// The next number of each member of conversation `$1`.
    static let ofMembers = next(of: "SELECT user_id FROM members WHERE conversation_id = $1")
}

/// What happened to a conversation, as its members' lists show it.
enum ListNews {
    /// It is called otherwise, or something else of it changed.
    case changed
    /// Somebody said something: it moves up, and is unread for the others.
    case said(by: UserID)
    /// An answer ended, and is unread.
    case answered
}

extension StoreTransaction {
    /// Takes the next number in the list of each member, without waiting for the answer: what comes
    /// next, the commit at the latest, takes the same round trip. The conversation's row must be
    /// locked.
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
                -- Who speaks in it has it in sight again; what others say leaves it where it is.
                archived_at = CASE WHEN $2 AND m.user_id = $4 THEN NULL ELSE m.archived_at END,
                unread = m.unread
                    + CASE WHEN $3 AND m.user_id IS DISTINCT FROM $4 THEN 1 ELSE 0 END
            FROM counted
            WHERE m.conversation_id = $1 AND m.user_id = counted.user_id
            """,
            [.uuid(conversation), .bool(isActive), .bool(isUnread), .optional(author)]
        )
    }

    /// Takes a number for each of some teams in the list of everybody who is in it, without waiting for
    /// the answer: the team changed, or who is in it. No conversation is to be locked afterwards.
    /// - Parameters:
    ///   - teams: which; their rows must be locked.
    ///   - leaver: who is told too, and is in them no longer; nil for nobody.
    /// - Throws: where the transaction has ended.
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

    /// Makes the first member of a new conversation.
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

    /// Adds a member or gives one another role, and tells the lists of all. What was said before a
    /// member came counts as read.
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

    /// Removes a member and tells the lists of all, also of the one who left.
    /// - Returns: the name of the one who left; nil where they were no member.
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
