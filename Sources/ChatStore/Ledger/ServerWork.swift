// Tokens that the server uses for itself: summaries and titles. No user requested them.

/// The server's own work in the ledger.
enum ServerWork {
    /// Two common table expressions that enter used tokens into the ledger and the day's sums. They
    /// enter nothing for 0 tokens.
    /// - Parameters:
    ///   - kind: the kind of entry, as a literal: `summary` or `title`.
    ///   - id: the SQL of the entry's id.
    ///   - tokens: the SQL of the number of tokens.
    /// - Returns: the SQL of the expressions, which follow `WITH` or another expression.
    static func entered(_ kind: StaticString, id: StaticString, tokens: StaticString) -> String {
        """
        entered AS (
            INSERT INTO ledger (answer_id, kind, day, reserved, used)
            SELECT \(id), '\(kind)', (now() AT TIME ZONE 'UTC')::date, 0, \(tokens)
            WHERE \(tokens) > 0
            RETURNING day, used
        ), counted AS (
            INSERT INTO usage_days AS u (day, used, answers) SELECT day, used, 1 FROM entered
            ON CONFLICT (user_id, day, team_id)
            DO UPDATE SET used = u.used + excluded.used, answers = u.answers + 1
        )
        """
    }
}
