// Account operations of a running server. Each is committed and then takes effect at once, here and
// on other nodes. What a command changes by `Store` alone takes effect within a second.

package import ChatProtocol
package import ChatStore

/// Ends sign-ins, and creates, disables, enables, promotes and deletes users.
package final class Accounts {
    private let store: Store
    private let signIns: SignInWatch

    package init(store: Store, signIns: SignInWatch) {
        self.store = store
        self.signIns = signIns
    }

    // MARK: Sign-ins

    /// Ends a sign-in at its owner's request.
    /// - Throws: `PostgresError`.
    package func signOut(_ signedIn: SignedIn) async throws {
        try await store.sessions.end(signedIn.session)
        await signIns.changed(signedIn.user.id)
    }

    /// Ends one sign-in of a user, and closes its connections.
    /// - Parameters:
    ///   - session: the sign-in.
    ///   - user: its owner.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` if the user has no such sign-in; `PostgresError`.
    package func revokeSession(
        _ session: SessionID,
        of user: UserID,
        by actor: Actor
    ) async throws {
        try await store.sessions.revoke(session, of: user, by: actor)
        await signIns.changed(user)
    }

    /// Ends all sign-ins of a user except one, and closes their connections.
    /// - Parameters:
    ///   - user: the owner.
    ///   - kept: the one to keep; nil to end all.
    ///   - actor: who does it.
    /// - Returns: how many ended.
    /// - Throws: `PostgresError`.
    package func revokeSessions(
        of user: UserID,
        but kept: SessionID?,
        by actor: Actor
    ) async throws -> Int {
        let count = try await store.sessions.revokeAll(of: user, but: kept, by: actor)
        await signIns.changed(user)
        return count
    }

    /// Revokes an API key, and closes its connections.
    /// - Parameters:
    ///   - key: the key.
    ///   - user: its owner.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` if the user has no such key; `PostgresError`.
    package func revokeKey(_ key: KeyID, of user: UserID, by actor: Actor) async throws {
        try await store.credentials.revokeKey(key, of: user, by: actor)
        await signIns.changed(user)
    }

    /// Creates an account without a password, and a link that sets it, as `makeResetLink` does.
    /// - Parameters:
    ///   - name: the user name.
    ///   - isAdministrator: whether they are an administrator of the server.
    ///   - actor: who does it.
    /// - Returns: the user, and the link's token.
    /// - Throws: `WireError.conflict` if the name is taken; `PostgresError`.
    package func createUser(
        named name: String,
        isAdministrator: Bool,
        by actor: Actor
    ) async throws -> (user: UserID, token: String) {
        let token = Token.make()
        let user = try await store.accounts.createUser(
            named: name,
            isAdmin: isAdministrator,
            tokenHash: token.hash,
            lifetime: Self.linkLifetime,
            by: actor
        )
        return (user, token.text)
    }

    /// Creates a one-time link that sets a user's password, valid for a day. Older links become
    /// invalid.
    /// - Parameters:
    ///   - user: the user.
    ///   - actor: who does it.
    /// - Returns: the link's token, which is not stored: `PUBLIC-URL/#reset=TOKEN`.
    /// - Throws: `WireError.notFound` if there is no such user; `.forbidden` if the account is
    ///   disabled; `PostgresError`.
    package func makeResetLink(for user: UserID, by actor: Actor) async throws -> String {
        let token = Token.make()
        try await store.credentials.addResetLink(
            tokenHash: token.hash,
            for: user,
            lifetime: Self.linkLifetime,
            by: actor
        )
        return token.text
    }

    /// Creates a one-time link for signing up, valid for a week.
    /// - Parameter actor: who does it.
    /// - Returns: the link's token, which is not stored: `PUBLIC-URL/#sign-up=TOKEN`.
    /// - Throws: `WireError.limitExceeded` if too many are open; `PostgresError`.
    package func makeInvitation(by actor: Actor) async throws -> String {
        let token = Token.make()
        try await store.credentials.addInvitation(
            tokenHash: token.hash,
            lifetime: Self.invitationLifetime,
            by: actor
        )
        return token.text
    }

    /// How long links are valid: those that set a password, and those that create an account.
    static let linkLifetime: Duration = .seconds(24 * 3600)
    static let invitationLifetime: Duration = .seconds(7 * 24 * 3600)

    // MARK: Users

    /// Disables an account: its sign-ins and keys end, its connections are closed, its answers end
    /// as `stopped`.
    /// - Parameters:
    ///   - user: the user.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` if there is no such user; `.forbidden` if it is the last
    ///   administrator; `PostgresError`.
    package func disable(_ user: UserID, by actor: Actor) async throws {
        try await store.accounts.disable(user, by: actor)
        await signIns.changed(user)
    }

    /// Deletes an account: everything ends as for a disabled one, and its name becomes free.
    /// - Parameters:
    ///   - user: the user.
    ///   - actor: who does it.
    /// - Returns: the teams with other members, which the user left.
    /// - Throws: `WireError.notFound` if there is no such user; `.forbidden` if it is the last
    ///   administrator, or the only owner of a team with other members; `PostgresError`.
    package func delete(_ user: UserID, by actor: Actor) async throws -> [TeamID] {
        let left = try await store.accounts.delete(user, by: actor)
        await signIns.changed(user)
        return left
    }

    /// Enables an account again.
    /// - Parameters:
    ///   - user: the user.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` if there is no such user; `PostgresError`.
    package func enable(_ user: UserID, by actor: Actor) async throws {
        try await store.accounts.enable(user, by: actor)
    }

    /// Makes a user an administrator, or an ordinary user again. Their connections are closed, so
    /// that they reconnect with the new rights.
    /// - Parameters:
    ///   - user: the user.
    ///   - isAdministrator: the new role.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` if there is no such user; `.forbidden` if it is the last
    ///   administrator; `PostgresError`.
    package func setAdministrator(
        _ user: UserID,
        _ isAdministrator: Bool,
        by actor: Actor
    ) async throws {
        try await store.accounts.setAdministrator(user, isAdministrator, by: actor)
        await signIns.changed(user)
    }
}
