// API keys: credentials of programs, limited to scopes.

import ChatCore
public import ChatProtocol
import Postgres

extension CredentialStore {
    /// Maximum keys per user.
    public static let keysMax = 100

    /// Creates a key, of which only the hash is stored.
    /// - Parameters:
    ///   - request: its name, scopes and lifetime.
    ///   - tokenHash: SHA-256 of the key.
    ///   - user: its owner.
    /// - Returns: the key, without its secret.
    /// - Throws: `WireError.limitExceeded` if the user already has 100.
    public func addKey(
        _ request: KeyCreateRequest,
        tokenHash: [UInt8],
        of user: User
    ) async throws -> APIKey {
        let id = KeyID.make()
        return try await pool.transaction { transaction in
            // Serialized, so that the count is correct.
            _ = try await transaction.lockUser(user.id)
            let counted = try await transaction.query(
                "SELECT count(*) FROM api_keys WHERE user_id = $1",
                [.uuid(user.id)]
            )
            guard try counted.first?.decode(as: Int64.self) ?? 0 < Int64(Self.keysMax) else {
                throw WireError(.limitExceeded, "more than \(Self.keysMax) keys: revoke some")
            }
            let rows = try await transaction.query(
                """
                INSERT INTO api_keys (id, user_id, name, token_hash, scopes, expires_at)
                VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 second')
                RETURNING \(Self.keyColumns)
                """,
                [
                    .uuid(id), .uuid(user.id), .text(request.name), .bytes(tokenHash),
                    .textArray(request.scopes.map(\.rawValue)),
                    .optional(request.expiresIn.map { Double($0) }),
                ]
            )
            try transaction.audit(
                .keyCreated,
                by: Actor(user),
                object: "\(id)",
                detail: ["scopes": request.scopes.map(\.rawValue).joined(separator: " ")]
            )
            guard let row = rows.first else { throw WireError.noSuchUser }
            return try Self.key(row)
        }
    }

    /// A user's keys, newest first.
    public func keys(of user: UserID) async throws -> [APIKey] {
        let rows = try await pool.query(
            """
            SELECT \(Self.keyColumns) FROM api_keys
            WHERE user_id = $1 AND coalesce(expires_at > now(), true) ORDER BY id DESC
            """,
            [.uuid(user)]
        )
        return try rows.map { try Self.key($0) }
    }

    /// Revokes a key.
    /// - Parameters:
    ///   - key: the key.
    ///   - user: its owner.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` if the user has no such key.
    public func revokeKey(_ key: KeyID, of user: UserID, by actor: Actor) async throws {
        try await pool.transaction { transaction in
            let ended = try await transaction.query(
                "DELETE FROM api_keys WHERE id = $1 AND user_id = $2",
                [.uuid(key), .uuid(user)]
            )
            guard ended.affectedRowCount == 1 else {
                throw WireError(.notFound, "there is no such key")
            }
            try transaction.audit(.keyRevoked, by: actor, object: "\(key)")
        }
    }

    /// The user and scopes of a key; nil if there is no valid one. Its use is recorded at most once
    /// a minute.
    public func signedIn(keyHash: [UInt8]) async throws -> SignedIn? {
        let rows = try await pool.query(
            """
            SELECT k.id AS key_id, u.id, u.name, u.is_admin, coalesce(p.u, 0) AS list_position,
                array_to_string(k.scopes, ' ') AS scopes,
                coalesce(k.last_used_at < now() - interval '1 minute', true) AS is_use_due
            FROM api_keys k JOIN users u ON u.id = k.user_id
            LEFT JOIN list_positions p ON p.user_id = u.id
            WHERE k.token_hash = $1 AND coalesce(k.expires_at > now(), true)
                AND u.disabled_at IS NULL
            """,
            [.bytes(keyHash)]
        )
        guard let row = rows.first else { return nil }
        let id = try row.id("key_id", of: APIKey.self)
        if try row.decode("is_use_due", as: Bool.self) {
            _ = try await pool.query(
                "UPDATE api_keys SET last_used_at = now() WHERE id = $1",
                [.uuid(id)]
            )
        }
        let isAdmin = try row.decode("is_admin", as: Bool.self)
        let scopes = Set(try Self.scopes(try row.decode("scopes", as: String.self)))
        return SignedIn(
            session: SessionID(id.uuid),
            isKey: true,
            user: User(
                id: try row.id("id", of: User.self),
                name: try row.decode("name", as: String.self),
                isAdmin: isAdmin
            ),
            // The holder is an administrator only if the key was created with that scope.
            credential: Credential(
                scopes: scopes,
                isAdministrator: isAdmin && scopes.contains(.administer)
            ),
            listPosition: try row.decode("list_position", as: Int64.self)
        )
    }

    private static let keyColumns = """
        id, name, array_to_string(scopes, ' ') AS scopes, created_at, last_used_at, expires_at
        """

    private static func key(_ row: PostgresRow) throws -> APIKey {
        APIKey(
            id: try row.id("id", of: APIKey.self),
            name: try row.decode("name", as: String.self),
            scopes: try scopes(try row.decode("scopes", as: String.self)),
            createdAt: try row.timestamp("created_at"),
            lastUsedAt: try row.optionalTimestamp("last_used_at"),
            expiresAt: try row.optionalTimestamp("expires_at")
        )
    }

    private static func scopes(_ text: String) throws -> [Scope] {
        // A scope unknown to this version permits nothing.
        text.split(separator: " ").compactMap { Scope(rawValue: String($0)) }
    }
}
