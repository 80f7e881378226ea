// Passwords after an account was made: changed by their owner, set anew by a one-time link, or hashed
// again at a higher cost. And the links: only their hashes are kept.

public import ChatProtocol
import Postgres

/// What a one-time link is good for.
public enum AccountLink: String, Sendable {
    /// Sets a user's password.
    case reset
    /// Makes an account.
    case invitation
}

extension CredentialStore {
    /// The stored password hash of a user.
    /// - Throws: `WireError.notFound` where there is no such user.
    public func passwordHash(of user: UserID) async throws -> String {
        let rows = try await pool.query(
            "SELECT password_hash FROM users WHERE id = $1 AND deleted_at IS NULL",
            [.uuid(user)]
        )
        guard let row = rows.first else { throw WireError.noSuchUser }
        return try row.decode("password_hash", as: String.self)
    }

    /// Changes a user's password, and ends their sign-ins but one. Links that were to set it end too.
    /// - Parameters:
    ///   - user: whose.
    ///   - old: the stored hash that the user proved to know the password of: where it is another by
    ///     now, nothing changes.
    ///   - new: the hash of the new one.
    ///   - kept: the sign-in that stays; nil for none.
    /// - Throws: `WireError.conflict` where the password was changed in the meantime: try again.
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
            try transaction.audit("user.password_changed", by: Actor(user), object: "\(user.id)")
        }
    }

    /// Keeps a password under a hash of another cost. Where it was changed meanwhile, nothing happens.
    public func rehashPassword(of user: UserID, from old: String, to new: String) async throws {
        _ = try await pool.query(
            "UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2",
            [.uuid(user), .text(old), .text(new)]
        )
    }

    // MARK: Links

    /// Keeps the hash of a link that sets a user's password, once. Older ones of the user end.
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the link's token.
    ///   - user: whose password.
    ///   - lifetime: how long it is good.
    ///   - actor: who makes it.
    /// - Throws: `WireError.notFound` where there is no such user; `.forbidden` where the account is
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

    /// Keeps the hash of a link that makes one account.
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the link's token.
    ///   - lifetime: how long it is good.
    ///   - actor: who makes it.
    /// - Throws: `WireError.limitExceeded` where 1000 are open already.
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
            try transaction.audit("user.invited", by: actor)
        }
    }

    /// Whether a link is good at present: asked before a password is hashed for it.
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

    /// Whether the link that makes the first user is good at present.
    public func hasSignUpLink(tokenHash: [UInt8]) async throws -> Bool {
        let rows = try await pool.query(
            "SELECT FROM sign_up_links WHERE token_hash = $1 AND expires_at > now()",
            [.bytes(tokenHash)]
        )
        return !rows.isEmpty
    }

    /// Sets a password by its link, which ends with that; so do all sign-ins of the user.
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the link's token.
    ///   - passwordHash: the hash of the new password.
    /// - Returns: whose it was.
    /// - Throws: `WireError.forbidden` where the link is unknown, used or out of date.
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
                "user.password_reset",
                by: Actor(User(id: user, name: try row.decode("name", as: String.self))),
                object: "\(user)"
            )
            return user
        }
    }
}

extension WireError {
    /// What is said of a link that is not good: not whether it ever was.
    public static let deadLink = WireError(.forbidden, "this link was used or has expired")
}

extension StoreTransaction {
    /// Keeps the hash of a link that sets a user's password. The user's row is locked, or new.
    /// - Throws: `WireError.forbidden` where the account is disabled.
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
            "user.reset_link_made",
            by: actor,
            object: "\(user)",
            detail: ["name": name]
        )
    }

    /// Ends the links that were to set a user's password.
    fileprivate func endLinks(of user: UserID) throws {
        try send("DELETE FROM account_links WHERE user_id = $1", [.uuid(user)])
    }
}
