// Checks that the ledger balances: each answer in the queue has one open reservation, each answer
// that left the queue has one settlement and no open reservation, and the usage counts are the sums
// of the ledger. This holds after every commit.

import FoundationEssentials
import Postgres

/// An inconsistency in the ledger.
public struct LedgerImbalance: Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    public let problem: String
    /// The answer, or the user, team and day, that is affected.
    public let subject: String

    /// One line for an operator.
    public var description: String { "\(problem): \(subject)" }
}

/// The check, as one statement: it compares rows of one snapshot.
package enum LedgerBalance {
    /// Finds inconsistencies, as two columns of text. `$1` is the first day (UTC) to check, null
    /// for all days; `$2` is the maximum number of findings.
    ///
    /// All entries of an answer have the day of its request, so each day balances on its own.
    package static let query = """
        WITH since AS (
            SELECT coalesce($1::date, '-infinity') AS day
        ), entries AS MATERIALIZED (
            SELECT answer_id, user_id, team_id, day, bool_or(kind IN ('summary', 'title')) AS is_own,
                count(*) FILTER (WHERE kind = 'reserve') AS begun,
                count(*) FILTER (WHERE kind <> 'reserve') AS ended, sum(reserved) AS open
            FROM ledger WHERE day >= (SELECT day FROM since)
            GROUP BY answer_id, user_id, team_id, day
        )
        SELECT 'an answer in the queue has not its one open reservation' AS problem,
            g.message_id::text AS subject
        FROM generations g LEFT JOIN entries e ON e.answer_id = g.message_id
        WHERE g.asked_on >= (SELECT day FROM since) AND (
            e.begun = 1 AND e.ended = 0 AND e.open = g.reserved AND e.user_id = g.user_id
                AND e.team_id IS NOT DISTINCT FROM g.team_id AND e.day = g.asked_on
        ) IS NOT TRUE
        UNION ALL
        SELECT 'an answer that left the queue is not settled once and whole', e.answer_id::text
        FROM entries e LEFT JOIN generations g ON g.message_id = e.answer_id
        WHERE g.message_id IS NULL
            AND NOT (e.ended = 1 AND e.open = 0
                AND e.begun = CASE WHEN e.is_own THEN 0 ELSE 1 END)
        UNION ALL
        SELECT 'a user''s count of a day is not the sum of the ledger',
            concat_ws(' ', coalesce(user_id::text, 'the server'), team_id, day)
        FROM (
            SELECT user_id, team_id, day, used, 1 AS answers FROM ledger
            WHERE used > 0 AND day >= (SELECT day FROM since)
            UNION ALL
            SELECT user_id, team_id, day, -used, -answers FROM usage_days
            WHERE day >= (SELECT day FROM since)
        ) counted
        GROUP BY user_id, team_id, day HAVING sum(used) <> 0 OR sum(answers) <> 0
        UNION ALL
        SELECT 'a team''s count of a day is not the sum of the ledger', concat_ws(' ', team_id, day)
        FROM (
            SELECT team_id, day, used FROM ledger
            WHERE used > 0 AND team_id IS NOT NULL AND day >= (SELECT day FROM since)
            UNION ALL
            SELECT team_id, day, -used FROM team_usage_days WHERE day >= (SELECT day FROM since)
        ) counted
        GROUP BY team_id, day HAVING sum(used) <> 0
        LIMIT $2
        """
}

/// The ledger of reserved and used tokens, budgets, and the check that the ledger balances.
public struct LedgerStore {
    let pool: StorePool

    /// Finds inconsistencies in the ledger. Any finding is the result of a defect.
    ///
    /// It reads all entries since a day: this takes seconds for millions of entries.
    /// - Parameters:
    ///   - since: the first day (UTC) to check, such as `2026-11-22`; nil for all days.
    ///   - limit: maximum findings.
    /// - Returns: the findings; empty if the ledger balances.
    /// - Throws: `PostgresError`.
    public func imbalances(
        since: String? = nil,
        limit: Int = 20
    ) async throws -> [LedgerImbalance] {
        let rows = try await pool.query(
            LedgerBalance.query,
            [.text(since), .int64(Int64(limit))]
        )
        return try rows.map { row in
            LedgerImbalance(
                problem: try row.decode("problem", as: String.self),
                subject: try row.decode("subject", as: String.self)
            )
        }
    }
}
