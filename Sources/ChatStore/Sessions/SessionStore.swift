// Sign-ins: creating, finding, extending, listing and ending them.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

/// A valid sign-in or API key.
public struct SignedIn: Sendable, Hashable {
    /// The sign-in's id; for a key, the key's id.
    public let session: SessionID
    /// Whether it is a key.
    public let isKey: Bool
    /// The user.
    public let user: User
    /// What it permits.
    public let credential: Credential
    /// The latest change number of the user's list.
    public let listPosition: Int64
}

/// A change of a sign-in, or an API key, that is in use.
public enum SignInChange: Sendable, Hashable {
    /// It is no longer valid.
    case ended
    /// It is valid; whether its user is an administrator of the server now.
    case rights(isAdministrator: Bool)
}

/// How long sign-ins are valid.
public struct SessionLifetime: Sendable, Hashable {
    /// Unless they are used.
    public var idle: Duration
    /// Even if they are used.
    public var absolute: Duration

    /// Creates a lifetime.
    public init(idle: Duration, absolute: Duration) {
        self.idle = idle
        self.absolute = absolute
    }
}

/// Sign-ins of users, and changes that end them.
public struct SessionStore {
    let pool: StorePool

    /// Creates a sign-in, of which only the token's hash is stored. For an account deleted a moment
    /// ago none is created, and the token is invalid.
    public func add(
        user: UserID,
        tokenHash: [UInt8],
        device: String,
        lifetime: SessionLifetime
    ) async throws -> SessionID {
        try await pool.transaction { transaction in
            try transaction.addSession(of: user, tokenHash: tokenHash, device, lifetime)
        }
    }

    /// The sign-in of a token; nil if there is no valid one. Using it extends its expiry, at most
    /// once a minute, and never beyond its maximum age.
    public func session(tokenHash: [UInt8], lifetime: SessionLifetime) async throws -> SignedIn? {
        let rows = try await pool.query(
            """
            SELECT s.id AS session, u.id, u.name, u.is_admin, coalesce(p.u, 0) AS list_position,
                s.last_used_at < now() - interval '1 minute' AS is_use_due
            FROM sessions s JOIN users u ON u.id = s.user_id
            LEFT JOIN list_positions p ON p.user_id = u.id
            WHERE s.token_hash = $1 AND s.expires_at > now() AND u.disabled_at IS NULL
            """,
            [.bytes(tokenHash)]
        )
        guard let row = rows.first else { return nil }
        let session = try row.id("session", of: Session.self)
        if try row.decode("is_use_due", as: Bool.self) {
            _ = try await pool.query(
                """
                UPDATE sessions SET last_used_at = now(),
                    expires_at = least(now() + $2 * interval '1 second', ends_at)
                WHERE id = $1
                """,
                [.uuid(session), .double(lifetime.idle.seconds)]
            )
        }
        let isAdmin = try row.decode("is_admin", as: Bool.self)
        return SignedIn(
            session: session,
            isKey: false,
            user: User(
                id: try row.id("id", of: User.self),
                name: try row.decode("name", as: String.self),
                isAdmin: isAdmin
            ),
            credential: Credential(isAdministrator: isAdmin),
            listPosition: try row.decode("list_position", as: Int64.self)
        )
    }

    /// A user's sign-ins, last used first.
    /// - Parameters:
    ///   - user: the user.
    ///   - current: the sign-in of the request.
    /// - Returns: at most 200.
    /// - Throws: `PostgresError`.
    public func list(of user: UserID, current: SessionID?) async throws -> [SessionSummary] {
        let rows = try await pool.query(
            """
            SELECT id, device, created_at, last_used_at, expires_at FROM sessions
            WHERE user_id = $1 AND expires_at > now()
            ORDER BY last_used_at DESC, id DESC LIMIT 200
            """,
            [.uuid(user)]
        )
        return try rows.map { row in
            let id = try row.id("id", of: Session.self)
            return SessionSummary(
                id: id,
                device: try row.decode("device", as: String.self),
                createdAt: try row.timestamp("created_at"),
                lastUsedAt: try row.timestamp("last_used_at"),
                expiresAt: try row.timestamp("expires_at"),
                current: id == current ? true : nil
            )
        }
    }

    /// Whether a sign-in was created within a time span; false if it does not exist.
    public func isRecent(_ session: SessionID, within span: Duration) async throws -> Bool {
        let rows = try await pool.query(
            """
            SELECT FROM sessions
            WHERE id = $1 AND created_at > now() - $2 * interval '1 second'
            """,
            [.uuid(session), .double(span.seconds)]
        )
        return !rows.isEmpty
    }

    /// Ends a sign-in, without an audit entry.
    public func end(_ session: SessionID) async throws {
        _ = try await pool.query("DELETE FROM sessions WHERE id = $1", [.uuid(session)])
    }

    /// Ends the sign-in of a token, if it is this user's: a new one replaces it.
    /// - Returns: whether it existed.
    /// - Throws: `PostgresError`.
    public func end(tokenHash: [UInt8], of user: UserID) async throws -> Bool {
        let result = try await pool.query(
            "DELETE FROM sessions WHERE token_hash = $1 AND user_id = $2",
            [.bytes(tokenHash), .uuid(user)]
        )
        return result.affectedRowCount > 0
    }

    /// Ends one sign-in of a user.
    /// - Parameters:
    ///   - session: the sign-in.
    ///   - user: its owner.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` if the user has no such sign-in.
    public func revoke(
        _ session: SessionID,
        of user: UserID,
        by actor: Actor
    ) async throws {
        try await pool.transaction { transaction in
            let ended = try await transaction.query(
                "DELETE FROM sessions WHERE id = $1 AND user_id = $2",
                [.uuid(session), .uuid(user)]
            )
            guard ended.affectedRowCount == 1 else {
                throw WireError(.notFound, "there is no such sign-in")
            }
            try transaction.audit(
                .sessionRevoked,
                by: actor,
                object: "\(user)",
                detail: ["session": "\(session)"]
            )
        }
    }

    /// Ends all sign-ins of a user except one.
    /// - Parameters:
    ///   - user: the owner.
    ///   - kept: the one to keep; nil to end all.
    ///   - actor: who does it.
    /// - Returns: how many ended.
    /// - Throws: `PostgresError`.
    public func revokeAll(
        of user: UserID,
        but kept: SessionID?,
        by actor: Actor
    ) async throws -> Int {
        try await pool.transaction { transaction in
            let count = try await transaction.endSessions(of: user, but: kept)
            if count > 0 {
                try transaction.audit(
                    .sessionRevoked,
                    by: actor,
                    object: "\(user)",
                    detail: ["count": "\(count)"]
                )
            }
            return count
        }
    }

    /// Checks sign-ins and keys that are in use, in one statement.
    /// - Parameters:
    ///   - signIns: the sign-ins, and whether their users were administrators of the server when
    ///     they were authenticated.
    ///   - used: those with a request since the last check: their expiry is extended, at most once
    ///     a minute.
    ///   - lifetime: how long sign-ins are valid.
    /// - Returns: those that have changed.
    /// - Throws: `PostgresError`.
    public func changedSignIns(
        among signIns: [(session: SessionID, isAdministrator: Bool)],
        used: [SessionID],
        lifetime: SessionLifetime
    ) async throws -> [SessionID: SignInChange] {
        // Almost always none: unchanged sign-ins return no row.
        let rows = try await pool.query(
            """
            WITH kept AS (
                UPDATE sessions SET last_used_at = now(),
                    expires_at = least(now() + $3 * interval '1 second', ends_at)
                WHERE id = ANY ($4) AND expires_at > now()
                    AND last_used_at < now() - interval '1 minute'
            )
            SELECT known.id, valid.is_admin
            FROM (
                SELECT unnest($1::uuid[]) AS id, false AS was_admin
                UNION ALL SELECT unnest($2::uuid[]), true
            ) known
            LEFT JOIN LATERAL (
                SELECT u.is_admin FROM sessions s JOIN users u ON u.id = s.user_id
                WHERE s.id = known.id AND s.expires_at > now() AND u.disabled_at IS NULL
                UNION ALL
                SELECT u.is_admin FROM api_keys k JOIN users u ON u.id = k.user_id
                WHERE k.id = known.id AND coalesce(k.expires_at > now(), true)
                    AND u.disabled_at IS NULL
            ) valid ON true
            WHERE valid.is_admin IS DISTINCT FROM known.was_admin
            """,
            [
                .uuidArray(signIns.filter { !$0.isAdministrator }.map { $0.session.uuid }),
                .uuidArray(signIns.filter { $0.isAdministrator }.map { $0.session.uuid }),
                .double(lifetime.idle.seconds), .uuidArray(used.map(\.uuid)),
            ]
        )
        var changed: [SessionID: SignInChange] = [:]
        for row in rows {
            let isAdministrator = try row.decode("is_admin", as: Bool?.self)
            let change = isAdministrator.map { SignInChange.rights(isAdministrator: $0) }
            changed[try row.id("id", of: Session.self)] = change ?? .ended
        }
        return changed
    }
}

extension StoreTransaction {
    /// See `SessionStore.add`.
    func addSession(
        of user: UserID,
        tokenHash: [UInt8],
        _ device: String,
        _ lifetime: SessionLifetime
    ) throws -> SessionID {
        let id = SessionID.make()
        try send(
            """
            INSERT INTO sessions (id, user_id, token_hash, device, expires_at, ends_at)
            SELECT $1, id, $3, left($4, 200),
                now() + least($5, $6) * interval '1 second', now() + $6 * interval '1 second'
            FROM users WHERE id = $2 AND deleted_at IS NULL FOR SHARE
            """,
            [
                .uuid(id), .uuid(user), .bytes(tokenHash), .text(device),
                .double(lifetime.idle.seconds), .double(lifetime.absolute.seconds),
            ]
        )
        return id
    }

    /// Ends all sign-ins of a user except one, and those that devices wait for.
    /// - Returns: how many ended.
    func endSessions(of user: UserID, but kept: SessionID? = nil) async throws -> Int {
        try send("DELETE FROM device_sign_ins WHERE user_id = $1", [.uuid(user)])
        let ended = try await query(
            "DELETE FROM sessions WHERE user_id = $1 AND id IS DISTINCT FROM $2",
            [.uuid(user), .optional(kept)]
        )
        return ended.affectedRowCount
    }
}
