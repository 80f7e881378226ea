// Passwords of existing accounts: changed by their owners, reset with a one-time link, or rehashed
// at a higher cost; and these links, of which only hashes are stored.

public import ChatProtocol
import Postgres

/// The purpose of a one-time link.
public enum AccountLink: String, Sendable {
    /// Sets a user's password.
    case reset
    /// Creates an account.
    case invitation
}

extension CredentialStore {
    /// The stored password hash of a user.
    /// - Throws: `WireError.notFound` if there is no such user.
    public func passwordHash(of user: UserID) async throws -> String {
        let rows = try await pool.query(
            "SELECT password_hash FROM users WHERE id = $1 AND deleted_at IS NULL",
            [.uuid(user)]
        )
        guard let row = rows.first else { throw WireError.noSuchUser }
        return try row.decode("password_hash", as: String.self)
    }

    /// Changes a user's password, and ends their sign-ins except one. Links that set it become
    /// invalid.
    /// - Parameters:
    ///   - user: the user.
    ///   - old: the stored hash that the user's old password matched: if it has changed since,
    ///     nothing is changed.
    ///   - new: the hash of the new password.
    ///   - kept: the sign-in to keep; nil for none.
    /// - Throws: `WireError.conflict` if the password was changed in the meantime: try again.
    public func changePassword(
        of user: User,
        from old: String,
        to new: String,
        but kept: SessionID?
    ) async throws {
        try await pool.transaction { transaction in
            let changed = try await transaction.query(
                "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2",
                [.uuid(user.id), .text(old), .text(new)]
            )
            guard changed.affectedRowCount == 1 else {
                throw WireError(.conflict, "the password was changed in the meantime: try again")
            }
            _ = try await transaction.endSessions(of: user.id, but: kept)
            try transaction.endLinks(of: user.id)
            try transaction.audit(.userPasswordChanged, by: Actor(user), object: "\(user.id)")
        }
    }

    /// Replaces a password's hash by one of another cost. Does nothing if the password was changed
    /// meanwhile.
    public func rehashPassword(of user: UserID, from old: String, to new: String) async throws {
        _ = try await pool.query(
            "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2",
            [.uuid(user), .text(old), .text(new)]
        )
    }

    // MARK: Links

    /// Stores the hash of a one-time link that sets a user's password. The user's older links
    /// become invalid.
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the link's token.
    ///   - user: the user.
    ///   - lifetime: how long it is valid.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` if there is no such user; `.forbidden` if the account is
    ///   disabled.
    public func addResetLink(
        tokenHash: [UInt8],
        for user: UserID,
        lifetime: Duration,
        by actor: Actor
    ) async throws {
        try await pool.transaction { transaction in
            let name = try await transaction.lockUser(user)
            try transaction.endLinks(of: user)
            try await transaction.addResetLink(
                tokenHash: tokenHash,
                for: user,
                called: name,
                lifetime: lifetime,
                by: actor
            )
        }
    }

    /// Stores the hash of a link that creates one account.
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the link's token.
    ///   - lifetime: how long it is valid.
    ///   - actor: who does it.
    /// - Throws: `WireError.limitExceeded` if 1000 are open already.
    public func addInvitation(
        tokenHash: [UInt8],
        lifetime: Duration,
        by actor: Actor
    ) async throws {
        try await pool.transaction { transaction in
            let open = try await transaction.query(
                "SELECT count(*) FROM account_links WHERE kind = 'invitation' AND expires_at > now()"
            )
            guard try open.first?.decode(as: Int64.self) ?? 0 < 1000 else {
                throw WireError(.limitExceeded, "1000 invitations are open: revoke some first")
            }
            try transaction.send(
                """
                INSERT INTO account_links (token_hash, kind, expires_at)
                VALUES ($1, 'invitation', now() + $2 * interval '1 second')
                """,
                [.bytes(tokenHash), .double(lifetime.seconds)]
            )
            try transaction.audit(.userInvited, by: actor)
        }
    }

    /// Whether a link is valid; checked before a password is hashed for it.
    public func hasLink(_ kind: AccountLink, tokenHash: [UInt8]) async throws -> Bool {
        let rows = try await pool.query(
            """
            SELECT FROM account_links
            WHERE token_hash = $1 AND kind = $2 AND expires_at > now()
            """,
            [.bytes(tokenHash), .text(kind.rawValue)]
        )
        return !rows.isEmpty
    }

    /// Whether the link for the first user is valid.
    public func hasSignUpLink(tokenHash: [UInt8]) async throws -> Bool {
        let rows = try await pool.query(
            "SELECT FROM sign_up_links WHERE token_hash = $1 AND expires_at > now()",
            [.bytes(tokenHash)]
        )
        return !rows.isEmpty
    }

    /// Sets a password with a link. The link becomes invalid, and all sign-ins of the user end.
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the link's token.
    ///   - passwordHash: the hash of the new password.
    /// - Returns: the user.
    /// - Throws: `WireError.forbidden` if the link is unknown, used or expired.
    public func resetPassword(tokenHash: [UInt8], passwordHash: String) async throws -> UserID {
        try await pool.transaction { transaction in
            let links = try await transaction.query(
                """
                DELETE FROM account_links
                WHERE token_hash = $1 AND kind = 'reset' AND expires_at > now() RETURNING user_id
                """,
                [.bytes(tokenHash)]
            )
            guard let link = links.first else { throw WireError.deadLink }
            let user = try link.id("user_id", of: User.self)
            let changed = try await transaction.query(
                """
                UPDATE users SET password_hash = $2 WHERE id = $1 AND disabled_at IS NULL
                RETURNING name
                """,
                [.uuid(user), .text(passwordHash)]
            )
            guard let row = changed.first else { throw WireError.deadLink }
            _ = try await transaction.endSessions(of: user)
            try transaction.audit(
                .userPasswordReset,
                by: Actor(User(id: user, name: try row.decode("name", as: String.self))),
                object: "\(user)"
            )
            return user
        }
    }
}

extension WireError {
    /// For an invalid link; does not say whether it ever was valid.
    public static let deadLink = WireError(.forbidden, "this link was used or has expired")
}

extension StoreTransaction {
    /// Stores the hash of a link that sets a user's password. The user's row is locked, or new.
    /// - Throws: `WireError.forbidden` if the account is disabled.
    func addResetLink(
        tokenHash: [UInt8],
        for user: UserID,
        called name: String,
        lifetime: Duration,
        by actor: Actor
    ) async throws {
        let added = try await query(
            """
            INSERT INTO account_links (token_hash, kind, user_id, expires_at)
            SELECT $1, 'reset', id, now() + $3 * interval '1 second' FROM users
            WHERE id = $2 AND disabled_at IS NULL
            """,
            [.bytes(tokenHash), .uuid(user), .double(lifetime.seconds)]
        )
        guard added.affectedRowCount == 1 else {
            throw WireError(.forbidden, "the account is disabled: enable it first")
        }
        try audit(
            .userResetLinkMade,
            by: actor,
            object: "\(user)",
            detail: ["name": name]
        )
    }

    /// Invalidates the links that set a user's password.
    fileprivate func endLinks(of user: UserID) throws {
        try send("DELETE FROM account_links WHERE user_id = $1", [.uuid(user)])
    }
}
