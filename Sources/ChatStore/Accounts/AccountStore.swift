// Users, and the one-time link for the first of them.

public import ChatProtocol
import FoundationEssentials
import Postgres

/// A user with the data needed for signing in.
public struct Account: Sendable {
    /// The user.
    public let user: User
    /// The stored password hash, parameters included.
    public let passwordHash: String
    /// Whether the account is disabled.
    public let isDisabled: Bool
}

/// Users: creating, changing and deleting accounts.
public struct AccountStore {
    let pool: StorePool

    /// Adds a user.
    /// - Throws: `WireError.conflict` if the name is taken.
    public func addUser(name: String, passwordHash: String, isAdmin: Bool) async throws -> User {
        let id = UserID.make()
        let rows = try await pool.query(
            """
            INSERT INTO users (id, name, password_hash, is_admin) VALUES ($1, $2, $3, $4)
            ON CONFLICT DO NOTHING
            """,
            [.uuid(id), .text(name), .text(passwordHash), .bool(isAdmin)]
        )
        guard rows.affectedRowCount == 1 else {
            throw WireError(.conflict, "the name is taken")
        }
        return User(id: id, name: name, isAdmin: isAdmin)
    }

    /// The account with a name, in any case; nil if there is none.
    public func account(named name: String) async throws -> Account? {
        let rows = try await pool.query(
            """
            SELECT id, name, is_admin, password_hash, disabled_at IS NOT NULL AS is_disabled FROM users
            WHERE lower(name) = lower($1) AND deleted_at IS NULL
            """,
            [.text(name)]
        )
        return try rows.first.map { row in
            Account(
                user: User(
                    id: try row.id("id", of: User.self),
                    name: try row.decode("name", as: String.self),
                    isAdmin: try row.decode("is_admin", as: Bool.self)
                ),
                passwordHash: try row.decode("password_hash", as: String.self),
                isDisabled: try row.decode("is_disabled", as: Bool.self)
            )
        }
    }

    /// Whether there are any users.
    public func hasUsers() async throws -> Bool {
        let rows = try await pool.query("SELECT EXISTS (SELECT FROM users)")
        return try rows.first?.decode(as: Bool.self) ?? false
    }

    /// Stores the hash of the link for the first user; an older link becomes invalid.
    public func replaceSignUpLink(tokenHash: [UInt8], lifetime: Duration) async throws {
        try await pool.transaction { transaction in
            _ = try await transaction.query("DELETE FROM sign_up_links")
            _ = try await transaction.query(
                """
                INSERT INTO sign_up_links (token_hash, expires_at)
                VALUES ($1, now() + $2 * interval '1 second')
                """,
                [.bytes(tokenHash), .double(lifetime.seconds)]
            )
        }
    }

    /// Creates a user with a one-time link, and ends the link: the first user, as an administrator,
    /// or an invited one.
    /// - Parameters:
    ///   - tokenHash: SHA-256 of the link's token.
    ///   - name: the user name.
    ///   - passwordHash: the hash of their password.
    ///   - takesInvitations: whether this server accepts invitations.
    /// - Returns: the user.
    /// - Throws: `WireError.forbidden` if the link is unknown, used or expired.
    public func signUp(
        tokenHash: [UInt8],
        name: String,
        passwordHash: String,
        takesInvitations: Bool = false
    ) async throws -> User {
        let id = UserID.make()
        return try await pool.transaction { transaction in
            let first = try await transaction.query(
                "DELETE FROM sign_up_links WHERE token_hash = $1 AND expires_at > now()",
                [.bytes(tokenHash)]
            )
            let isFirst = first.affectedRowCount == 1
            if !isFirst {
                guard takesInvitations else { throw WireError.deadLink }
                let invitations = try await transaction.query(
                    """
                    DELETE FROM account_links
                    WHERE token_hash = $1 AND kind = 'invitation' AND expires_at > now()
                    """,
                    [.bytes(tokenHash)]
                )
                guard invitations.affectedRowCount == 1 else { throw WireError.deadLink }
            }
            let users = try await transaction.query(
                """
                INSERT INTO users (id, name, password_hash, is_admin) VALUES ($1, $2, $3, $4)
                ON CONFLICT DO NOTHING
                """,
                [.uuid(id), .text(name), .text(passwordHash), .bool(isFirst)]
            )
            guard users.affectedRowCount == 1 else {
                throw WireError(.conflict, "the name is taken")
            }
            let user = User(id: id, name: name, isAdmin: isFirst)
            try transaction.audit(.userSignedUp, by: Actor(user), object: "\(id)")
            return user
        }
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
