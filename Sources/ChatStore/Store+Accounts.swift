// Users, their sign-ins, and the one-time link that makes the first of them.

public import ChatProtocol
import FoundationEssentials
import Postgres

/// A user with what signing in needs to know.
public struct Account: Sendable {
    /// Who.
    public let user: User
    /// The stored password hash, parameters included.
    public let passwordHash: String
}

/// A sign-in that is valid now.
public struct SignedIn: Sendable, Hashable {
    /// Which sign-in.
    public let session: SessionID
    /// Whose.
    public let user: User
    /// The number that the user's list of conversations had come to.
    public let listPosition: Int64
}

extension Store {
    /// Adds a user.
    /// - Throws: `WireError.conflict` where the name is taken.
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

    /// The account of a name, in whatever case it is written; nil where there is none.
    public func account(named name: String) async throws -> Account? {
        let rows = try await pool.query(
            "SELECT id, name, is_admin, password_hash FROM users WHERE lower(name) = lower($1)",
            [.text(name)]
        )
        return try rows.first.map { row in
            Account(
                user: User(
                    id: try row.id(0, of: User.self),
                    name: try row.decode(1, as: String.self),
                    isAdmin: try row.decode(2, as: Bool.self)
                ),
                passwordHash: try row.decode(3, as: String.self)
            )
        }
    }

    /// Whether anybody can sign in yet.
    public func hasUsers() async throws -> Bool {
        let rows = try await pool.query("SELECT EXISTS (SELECT FROM users)")
        return try rows.first?.decode(0, as: Bool.self) ?? false
    }

    /// Keeps the hash of the one link that may make the first user; an older link ends.
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

    /// Makes the first user, an administrator, and ends the link.
    /// - Throws: `WireError.forbidden` where the link is unknown, used or out of date.
    public func signUp(
        tokenHash: [UInt8],
        name: String,
        passwordHash: String
    ) async throws -> User {
        let id = UserID.make()
        try await pool.transaction { transaction in
            let links = try await transaction.query(
                "DELETE FROM sign_up_links WHERE token_hash = $1 AND expires_at > now()",
                [.bytes(tokenHash)]
            )
            guard links.affectedRowCount == 1 else {
                throw WireError(.forbidden, "this sign-up link was used or is out of date")
            }
            let users = try await transaction.query(
                """
                INSERT INTO users (id, name, password_hash, is_admin) VALUES ($1, $2, $3, true)
                ON CONFLICT DO NOTHING
                """,
                [.uuid(id), .text(name), .text(passwordHash)]
            )
            guard users.affectedRowCount == 1 else {
                throw WireError(.conflict, "the name is taken")
            }
        }
        return User(id: id, name: name, isAdmin: true)
    }

    /// Begins a sign-in, whose token is known by its hash alone.
    public func addSession(
        user: UserID,
        tokenHash: [UInt8],
        device: String,
        lifetime: Duration
    ) async throws -> SessionID {
        let id = SessionID.make()
        _ = try await pool.query(
            """
            INSERT INTO sessions (id, user_id, token_hash, device, expires_at)
            VALUES ($1, $2, $3, left($4, 200), now() + $5 * interval '1 second')
            """,
            [
                .uuid(id), .uuid(user), .bytes(tokenHash), .text(device),
                .double(lifetime.seconds),
            ]
        )
        return id
    }

    /// The sign-in of a token; nil where there is none that is valid now. Using one keeps it: its
    /// end is put off, at most once a minute.
    public func session(tokenHash: [UInt8], lifetime: Duration) async throws -> SignedIn? {
        let rows = try await pool.query(
            """
            SELECT s.id, u.id, u.name, u.is_admin, s.last_used_at < now() - interval '1 minute',
                coalesce(p.u, 0)
            FROM sessions s JOIN users u ON u.id = s.user_id
            LEFT JOIN list_positions p ON p.user_id = u.id
            WHERE s.token_hash = $1 AND s.expires_at > now() AND u.disabled_at IS NULL
            """,
            [.bytes(tokenHash)]
        )
        guard let row = rows.first else { return nil }
        let session = try row.id(0, of: Session.self)
        if try row.decode(4, as: Bool.self) {
            _ = try await pool.query(
                """
                UPDATE sessions
                SET last_used_at = now(), expires_at = now() + $2 * interval '1 second'
                WHERE id = $1
                """,
                [.uuid(session), .double(lifetime.seconds)]
            )
        }
        let user = User(
            id: try row.id(1, of: User.self),
            name: try row.decode(2, as: String.self),
            isAdmin: try row.decode(3, as: Bool.self)
        )
        return SignedIn(
            session: session,
            user: user,
            listPosition: try row.decode(5, as: Int64.self)
        )
    }

    /// Ends a sign-in.
    public func endSession(_ session: SessionID) async throws {
        _ = try await pool.query("DELETE FROM sessions WHERE id = $1", [.uuid(session)])
    }

    /// Deletes what is out of date: sign-ins, links, and keys older than two days.
    public func forgetExpired() async throws {
        _ = try await pool.query("DELETE FROM sessions WHERE expires_at < now()")
        _ = try await pool.query("DELETE FROM sign_up_links WHERE expires_at < now()")
        _ = try await pool.query(
            "DELETE FROM idempotency_keys WHERE created_at < now() - interval '2 days'"
        )
    }

    /// What tells this database from one restored from a backup.
    public func epoch() async throws -> String {
        let rows = try await pool.query("SELECT epoch FROM installation")
        return try rows.first?.decode(0, as: UUID.self).uuidString.lowercased() ?? ""
    }
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
