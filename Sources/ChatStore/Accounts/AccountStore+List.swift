// Lists of accounts, for administrators.

public import ChatProtocol
import Postgres

extension AccountStore {
    private static let accountColumns = """
        u.id, u.name, u.is_admin, u.disabled_at IS NOT NULL AS is_disabled, u.created_at,
        s.last AS seen_at, s.count AS sessions
        """
    private static let accountSessions = """
        LEFT JOIN LATERAL (
            SELECT count(*) AS count, max(last_used_at) AS last FROM sessions
            WHERE user_id = u.id AND expires_at > now()
        ) s ON true
        """

    /// A page of all accounts, ordered by name.
    /// - Parameters:
    ///   - query: a part of the name, in any case; nil for all names.
    ///   - name: the last name of the previous page; nil for the first page.
    ///   - limit: maximum entries.
    /// - Returns: the page.
    /// - Throws: `PostgresError`.
    public func userAccounts(
        matching query: String?,
        after name: String?,
        limit: Int
    ) async throws -> [UserAccount] {
        let rows = try await pool.query(
            """
            SELECT \(Self.accountColumns) FROM users u \(Self.accountSessions)
            WHERE u.deleted_at IS NULL
                AND lower(u.name) > lower($1) AND position(lower($2) IN lower(u.name)) > 0
            ORDER BY lower(u.name) LIMIT $3
            """,
            [.text(name ?? ""), .text(query ?? ""), .int64(Int64(limit))]
        )
        return try rows.map { try UserAccount(row: $0) }
    }

    /// Creates an account without a password, together with a link that sets it: until then nobody
    /// can sign in by a password.
    /// - Parameters:
    ///   - name: the user name.
    ///   - isAdmin: whether they are an administrator of the server.
    ///   - tokenHash: SHA-256 of the link's token.
    ///   - lifetime: how long the link is valid.
    ///   - actor: who does it.
    /// - Returns: the user.
    /// - Throws: `WireError.conflict` if the name is taken.
    public func createUser(
        named name: String,
        isAdmin: Bool,
        tokenHash: [UInt8],
        lifetime: Duration,
        by actor: Actor
    ) async throws -> UserID {
        let id = UserID.make()
        try await pool.transaction { transaction in
            let added = try await transaction.query(
                """
                INSERT INTO users (id, name, password_hash, is_admin) VALUES ($1, $2, 'none', $3)
                ON CONFLICT DO NOTHING
                """,
                [.uuid(id), .text(name), .bool(isAdmin)]
            )
            guard added.affectedRowCount == 1 else {
                throw WireError(.conflict, "the name is taken")
            }
            try transaction.audit(
                .userCreated,
                by: actor,
                object: "\(id)",
                detail: ["name": name, "administrator": "\(isAdmin)"]
            )
            try await transaction.addResetLink(
                tokenHash: tokenHash,
                for: id,
                called: name,
                lifetime: lifetime,
                by: actor
            )
        }
        return id
    }

    /// One account.
    /// - Throws: `WireError.notFound` if it does not exist.
    public func userAccount(_ user: UserID) async throws -> UserAccount {
        let rows = try await pool.query(
            """
            SELECT \(Self.accountColumns) FROM users u \(Self.accountSessions)
            WHERE u.id = $1 AND u.deleted_at IS NULL
            """,
            [.uuid(user)]
        )
        guard let row = rows.first else { throw WireError.noSuchUser }
        return try UserAccount(row: row)
    }
}

extension UserAccount {
    fileprivate init(row: PostgresRow) throws {
        self.init(
            id: try row.id("id", of: User.self),
            name: try row.decode("name", as: String.self),
            isAdmin: try row.decode("is_admin", as: Bool.self),
            isDisabled: try row.decode("is_disabled", as: Bool.self),
            createdAt: try row.timestamp("created_at"),
            seenAt: try row.optionalTimestamp("seen_at"),
            sessions: Int(try row.decode("sessions", as: Int64.self))
        )
    }
}
