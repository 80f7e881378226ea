// PostgreSQL's own figures, and rows that are stuck: for `stoa doctor` and for administrators. Read
// only.

import FoundationEssentials
import Postgres

/// A table in PostgreSQL's statistics.
public struct TableHealth: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Estimated live rows.
    public var liveRows: Int64
    /// Estimated dead rows, which still take space.
    public var deadRows: Int64

    /// Creates the figures.
    public init(name: String, liveRows: Int64, deadRows: Int64) {
        self.name = name
        self.liveRows = liveRows
        self.deadRows = deadRows
    }
}

/// Figures of a database server.
public struct DatabaseHealth: Sendable, Hashable {
    /// The version as a number, such as 170002.
    public var version = 0
    /// The version, as PostgreSQL reports it.
    public var versionText = ""
    /// The encoding of texts.
    public var encoding = ""
    /// Whether it is a read-only replica.
    public var isReplica = false
    /// Whether its disk is full, so that tables cannot grow.
    public var isDiskFull = false
    /// Whether commits are flushed to disk (`fsync`).
    public var fsync = true
    /// Whether pages survive a torn write (`full_page_writes`).
    public var fullPageWrites = true
    /// When a commit is acknowledged: "on", "off" and others.
    public var synchronousCommit = ""
    /// Whether autovacuum is on.
    public var autovacuum = true
    /// Maximum connections, including those reserved for superusers.
    public var connectionCountMax = 0
    /// Connections reserved for superusers.
    public var reservedConnectionCount = 0
    /// Connections in use by all clients.
    public var connectionCount = 0
    /// Age of the oldest open transaction in this database, in seconds; nil for none.
    public var oldestTransactionSeconds: Double?
    /// The database's size, in bytes.
    public var byteCount: Int64 = 0
    /// Age of the oldest unfrozen row, in transactions: at two thousand million PostgreSQL stops.
    public var transactionAge: Int64 = 0
    /// How far the database's clock is ahead of this machine's, in seconds.
    public var clockOffset = 0.0
    /// Round trip time of the query for the clock, in seconds: the offset is no more precise than
    /// that.
    public var roundTripSeconds = 0.0
    /// The tables that change most often.
    public var tables: [TableHealth] = []

    /// Creates the figures of an unknown server.
    public init() {}
}

/// Queued and running answers, by the rows of the queue.
public struct QueueHealth: Sendable, Hashable {
    /// Queued answers.
    public var waitingCount = 0
    /// Running answers.
    public var runningCount = 0
    /// Answers whose lease expired a minute ago or earlier, and that no node took over.
    public var abandonedCount = 0
    /// Time in the queue of the oldest queued answer, in seconds.
    public var oldestWaitSeconds: Double?
    /// Rows of the queue without an unfinished message.
    public var strayCount = 0
    /// Unfinished answers that are not in the queue; nil if not checked.
    public var lostCount: Int?

    /// An empty queue.
    public init() {}
}

/// Figures of PostgreSQL and the tables, for the doctor and for metrics.
public struct HealthStore {
    let pool: StorePool

    /// The tables that change most often.
    private static let busyTables = [
        "generations", "answer_parts", "messages", "conversations", "members", "events",
        "list_positions", "sessions", "idempotency_keys", "nodes", "node_watches", "run_news",
    ]

    /// Reads PostgreSQL's figures.
    /// - Returns: the figures; those about transactions of other users only if the role may see
    ///   them.
    /// - Throws: `PostgresError`.
    public func database() async throws -> DatabaseHealth {
        var health = DatabaseHealth()
        let rows = try await pool.query(
            """
            SELECT current_setting('server_version_num')::bigint AS version,
                current_setting('server_version') AS version_text,
                current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS is_replica,
                current_setting('fsync')::bool AS fsync,
                current_setting('full_page_writes')::bool AS full_page_writes,
                current_setting('synchronous_commit') AS synchronous_commit,
                current_setting('autovacuum')::bool AS autovacuum,
                current_setting('max_connections')::bigint AS max_connections,
                current_setting('superuser_reserved_connections')::bigint AS reserved_connections,
                (
                    SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'
                ) AS connections,
                (
                    SELECT extract(epoch FROM max(clock_timestamp() - xact_start))::float8
                    FROM pg_stat_activity
                    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
                        AND datname = current_database()
                ) AS oldest_transaction_seconds,
                pg_database_size(current_database()) AS byte_count,
                (
                    SELECT age(datfrozenxid)::bigint FROM pg_database
                    WHERE datname = current_database()
                ) AS transaction_age
            """
        )
        guard let row = rows.first else { return health }
        health.version = Int(try row.decode("version", as: Int64.self))
        health.versionText = try row.decode("version_text", as: String.self)
        health.encoding = try row.decode("encoding", as: String.self)
        health.isReplica = try row.decode("is_replica", as: Bool.self)
        health.fsync = try row.decode("fsync", as: Bool.self)
        health.fullPageWrites = try row.decode("full_page_writes", as: Bool.self)
        health.synchronousCommit = try row.decode("synchronous_commit", as: String.self)
        health.autovacuum = try row.decode("autovacuum", as: Bool.self)
        health.connectionCountMax = Int(try row.decode("max_connections", as: Int64.self))
        health.reservedConnectionCount = Int(try row.decode("reserved_connections", as: Int64.self))
        health.connectionCount = Int(try row.decode("connections", as: Int64.self))
        health.oldestTransactionSeconds = try row.decode(
            "oldest_transaction_seconds",
            as: Double?.self
        )
        health.byteCount = try row.decode("byte_count", as: Int64.self)
        health.transactionAge = try row.decode("transaction_age", as: Int64.self)
        try await readClock(into: &health)
        health.tables = try await tableHealth()
        return health
    }

    /// Compares the clocks: the database's time is assumed to be in the middle of the round trip.
    private func readClock(into health: inout DatabaseHealth) async throws {
        let asked = Date()
        let rows = try await pool.query("SELECT clock_timestamp()")
        let answered = Date()
        guard let theirs = try rows.first?.decode(as: Date.self) else { return }
        health.roundTripSeconds = answered.timeIntervalSince(asked)
        let middle = asked.addingTimeInterval(health.roundTripSeconds / 2)
        health.clockOffset = theirs.timeIntervalSince(middle)
    }

    private func tableHealth() async throws -> [TableHealth] {
        let rows = try await pool.query(
            """
            SELECT relname::text, n_live_tup, n_dead_tup FROM pg_stat_user_tables
            WHERE relname = ANY ($1) AND schemaname = current_schema() ORDER BY relname
            """,
            [.textArray(Self.busyTables)]
        )
        return try rows.map { row in
            TableHealth(
                name: try row.decode("relname", as: String.self),
                liveRows: try row.decode("n_live_tup", as: Int64.self),
                deadRows: try row.decode("n_dead_tup", as: Int64.self)
            )
        }
    }

    /// Reads the state of the queue.
    /// - Parameter looksForLost: whether to read all messages, for unfinished answers that are not
    ///   in the queue. Slow if there are many.
    /// - Returns: the state.
    /// - Throws: `PostgresError`.
    public func queue(looksForLost: Bool = false) async throws -> QueueHealth {
        var health = QueueHealth()
        let rows = try await pool.query(
            """
            SELECT count(*) FILTER (WHERE lease_until IS NULL) AS waiting,
                count(*) FILTER (WHERE lease_until >= now()) AS running,
                count(*) FILTER (WHERE lease_until < now() - interval '1 minute') AS abandoned,
                extract(
                    epoch FROM now() - min(queued_at) FILTER (WHERE lease_until IS NULL)
                )::float8 AS oldest_wait_seconds,
                count(*) FILTER (WHERE NOT EXISTS (
                    SELECT FROM messages m
                    WHERE m.conversation_id = g.conversation_id AND m.id = g.message_id
                        AND m.state IN ('queued', 'streaming')
                )) AS stray
            FROM generations g
            """
        )
        guard let row = rows.first else { return health }
        health.waitingCount = Int(try row.decode("waiting", as: Int64.self))
        health.runningCount = Int(try row.decode("running", as: Int64.self))
        health.abandonedCount = Int(try row.decode("abandoned", as: Int64.self))
        health.oldestWaitSeconds = try row.decode("oldest_wait_seconds", as: Double?.self)
        health.strayCount = Int(try row.decode("stray", as: Int64.self))
        if looksForLost {
            let lost = try await pool.query(
                """
                SELECT count(*) FROM messages m
                JOIN conversations c ON c.id = m.conversation_id AND c.deleted_at IS NULL
                WHERE m.state IN ('queued', 'streaming') AND m.deleted_at IS NULL
                    AND NOT EXISTS (SELECT FROM generations g WHERE g.message_id = m.id)
                """
            )
            health.lostCount = Int(try lost.first?.decode(as: Int64.self) ?? 0)
        }
        return health
    }

    /// Number of users, and of enabled administrators of the server.
    /// - Throws: `PostgresError`.
    public func userCounts() async throws -> (all: Int, administrators: Int) {
        let rows = try await pool.query(
            """
            SELECT count(*) AS users,
                count(*) FILTER (WHERE is_admin AND disabled_at IS NULL) AS administrators
            FROM users
            """
        )
        guard let row = rows.first else { return (0, 0) }
        return (
            Int(try row.decode("users", as: Int64.self)),
            Int(try row.decode("administrators", as: Int64.self))
        )
    }
}
