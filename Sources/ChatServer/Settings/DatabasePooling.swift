/// What provides connections to PostgreSQL.
public enum DatabasePooling: String, CaseIterable, Sendable {
    /// PostgreSQL itself, or a pooler that assigns a connection to a client for its whole session.
    case session
    /// A pooler that assigns a connection per transaction, such as PgBouncer with `pool_mode =
    /// transaction`.
    case transaction
}
