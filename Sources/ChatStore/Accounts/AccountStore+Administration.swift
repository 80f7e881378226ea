// What administrators do to accounts: disable and enable them, and make or unmake administrators. At
// least one administrator who is not disabled always stays.

public import ChatProtocol
import Postgres

extension AccountStore {
    /// Disables an account: it may do nothing from then on, its sign-ins, keys and links end. Again,
    /// it changes nothing.
    ///
    /// `Accounts.disable` is what a running server calls: it closes connections and ends runs too.
    /// Servers that were not told find out within a second.
    /// - Parameters:
    ///   - user: whose account.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` where there is no such user; `.forbidden` where it is the last
    ///   administrator.
    public func disable(_ user: UserID, by actor: Actor) async throws {
        try await pool.transaction { transaction in
            try await transaction.requireAdministrator(beside: user)
            let name = try await transaction.lockUser(user)
            let changed = try await transaction.query(
                "UPDATE users SET disabled_at = now() WHERE id = $1 AND disabled_at IS NULL",
                [.uuid(user)]
            )
            guard changed.affectedRowCount == 1 else { return }
            _ = try await transaction.endSessions(of: user)
            try transaction.send("DELETE FROM api_keys WHERE user_id = $1", [.uuid(user)])
            try transaction.send("DELETE FROM account_links WHERE user_id = $1", [.uuid(user)])
            try transaction.audit(
                "user.disabled",
                by: actor,
                object: "\(user)",
                detail: ["name": name]
            )
        }
    }

    /// Enables an account again: its user can sign in. Again, it changes nothing.
    /// - Parameters:
    ///   - user: whose account.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` where there is no such user.
    public func enable(_ user: UserID, by actor: Actor) async throws {
        try await pool.transaction { transaction in
            let name = try await transaction.lockUser(user)
            let changed = try await transaction.query(
                "UPDATE users SET disabled_at = NULL WHERE id = $1 AND disabled_at IS NOT NULL",
                [.uuid(user)]
            )
            guard changed.affectedRowCount == 1 else { return }
            try transaction.audit(
                "user.enabled",
                by: actor,
                object: "\(user)",
                detail: ["name": name]
            )
        }
    }

    /// Makes a user an administrator of the server, or takes that away. Again, it changes nothing.
    /// - Parameters:
    ///   - user: who.
    ///   - isAdministrator: what they are from now on.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` where there is no such user; `.forbidden` where it is the last
    ///   administrator.
    public func setAdministrator(
        _ user: UserID,
        _ isAdministrator: Bool,
        by actor: Actor
    ) async throws {
        try await pool.transaction { transaction in
            if !isAdministrator { try await transaction.requireAdministrator(beside: user) }
            let name = try await transaction.lockUser(user)
            let changed = try await transaction.query(
                "UPDATE users SET is_admin = $2 WHERE id = $1 AND is_admin <> $2",
                [.uuid(user), .bool(isAdministrator)]
            )
            guard changed.affectedRowCount == 1 else { return }
            try transaction.audit(
                isAdministrator ? "user.made_administrator" : "user.unmade_administrator",
                by: actor,
                object: "\(user)",
                detail: ["name": name]
            )
        }
    }
}

extension WireError {
    /// What is said of an account that is not there.
    public static let noSuchUser = WireError(.notFound, "there is no such user")
}

extension StoreTransaction {
    /// Locks an account.
    /// - Returns: its name.
    /// - Throws: `WireError.notFound` where there is none.
    func lockUser(_ user: UserID) async throws -> String {
        // Rows that refer to it may come meanwhile.
        let rows = try await query(
            "SELECT name FROM users WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE",
            [.uuid(user)]
        )
        guard let row = rows.first else { throw WireError.noSuchUser }
        return try row.decode("name", as: String.self)
    }

    /// Refuses to go on where no administrator would stay. Locks all of them, so that two who unmake
    /// each other do it one after the other.
    func requireAdministrator(beside user: UserID) async throws {
        let rows = try await query(
            """
            SELECT id FROM users WHERE is_admin AND disabled_at IS NULL
            ORDER BY id FOR NO KEY UPDATE
            """
        )
        let administrators = try rows.map { try $0.id("id", of: User.self) }
        guard administrators != [user] else {
            throw WireError(.forbidden, "the server needs an administrator: make another one first")
        }
    }
}
