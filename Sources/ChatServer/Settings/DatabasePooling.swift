/// What gives out connections to PostgreSQL.
public enum DatabasePooling: String, CaseIterable, Sendable {
    /// PostgreSQL itself, or a pooler that gives a client one connection for as long as it stays.
    case session
    /// A pooler that gives each transaction another connection, as PgBouncer with
    /// `pool_mode = transaction`.
    case transaction
}
