// Account administration: disabling and enabling accounts, and changing administrators. At least
// one enabled administrator always remains.

public import ChatProtocol
import Postgres

extension AccountStore {
    /// Disables an account: it can do nothing from then on; its sign-ins, keys and links end.
    /// Idempotent.
    ///
    /// A running server calls `Accounts.disable`, which also closes connections and ends runs.
    /// Servers without a notification notice it within a second.
    /// - Parameters:
    ///   - user: the user.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` if there is no such user; `.forbidden` if it is the last
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
                .userDisabled,
                by: actor,
                object: "\(user)",
                detail: ["name": name]
            )
        }
    }

    /// Enables an account again: its user can sign in. Idempotent.
    /// - Parameters:
    ///   - user: the user.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` if there is no such user.
    public func enable(_ user: UserID, by actor: Actor) async throws {
        try await pool.transaction { transaction in
            let name = try await transaction.lockUser(user)
            let changed = try await transaction.query(
                "UPDATE users SET disabled_at = NULL WHERE id = $1 AND disabled_at IS NOT NULL",
                [.uuid(user)]
            )
            guard changed.affectedRowCount == 1 else { return }
            try transaction.audit(
                .userEnabled,
                by: actor,
                object: "\(user)",
                detail: ["name": name]
            )
        }
    }

    /// Makes a user an administrator of the server, or an ordinary user again. Idempotent.
    /// - Parameters:
    ///   - user: the user.
    ///   - isAdministrator: the new role.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` if there is no such user; `.forbidden` if it is the last
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
                isAdministrator ? .userMadeAdministrator : .userUnmadeAdministrator,
                by: actor,
                object: "\(user)",
                detail: ["name": name]
            )
        }
    }
}

extension WireError {
    /// For an account that does not exist.
    public static let noSuchUser = WireError(.notFound, "there is no such user")
}

extension StoreTransaction {
    /// Locks an account.
    /// - Returns: its name.
    /// - Throws: `WireError.notFound` if it does not exist.
    func lockUser(_ user: UserID) async throws -> String {
        // Rows that reference it may be inserted meanwhile.
        let rows = try await query(
            "SELECT name FROM users WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE",
            [.uuid(user)]
        )
        guard let row = rows.first else { throw WireError.noSuchUser }
        return try row.decode("name", as: String.self)
    }

    /// Throws if no other administrator would remain. Locks all administrators, so that two who
    /// demote each other are serialized.
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
