// Acts on accounts, for a running server: each is committed, and then its consequences are drawn at once,
// here and on other nodes. What a command line does by `Store` alone takes effect within a second.

package import ChatProtocol
package import ChatStore

/// Ends sign-ins, and makes, disables, enables, promotes and deletes users.
package final class Accounts {
    private let store: Store
    private let signIns: SignInWatch

    package init(store: Store, signIns: SignInWatch) {
        self.store = store
        self.signIns = signIns
    }

    // MARK: Sign-ins

    /// Ends a sign-in, as its holder wishes.
    /// - Throws: `PostgresError`.
    package func signOut(_ signedIn: SignedIn) async throws {
        try await store.sessions.end(signedIn.session)
        await signIns.changed(signedIn.user.id)
    }

    /// Ends one sign-in of a user, and closes its connections.
    /// - Parameters:
    ///   - session: which.
    ///   - user: whose.
    ///   - actor: who ends it.
    /// - Throws: `WireError.notFound` where the user has no such sign-in; `PostgresError`.
    package func revokeSession(
        _ session: SessionID,
        of user: UserID,
        by actor: Actor
    ) async throws {
        try await store.sessions.revoke(session, of: user, by: actor)
        await signIns.changed(user)
    }

    /// Ends all sign-ins of a user but one, and closes their connections.
    /// - Parameters:
    ///   - user: whose.
    ///   - kept: the one that stays; nil to end all.
    ///   - actor: who ends them.
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

    /// Ends a key of a user, and closes its connections.
    /// - Parameters:
    ///   - key: which.
    ///   - user: whose.
    ///   - actor: who ends it.
    /// - Throws: `WireError.notFound` where the user has no such key; `PostgresError`.
    package func revokeKey(_ key: KeyID, of user: UserID, by actor: Actor) async throws {
        try await store.credentials.revokeKey(key, of: user, by: actor)
        await signIns.changed(user)
    }

    /// Makes an account without a password, and the link that sets it, as `makeResetLink` makes one.
    /// - Parameters:
    ///   - name: what they sign in with.
    ///   - isAdministrator: whether they administer the server.
    ///   - actor: who makes it.
    /// - Returns: whose account it is, and the link's token.
    /// - Throws: `WireError.conflict` where the name is taken; `PostgresError`.
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

    /// Makes a link by which a user's password can be set, once, within a day. Older ones end.
    /// - Parameters:
    ///   - user: whose password.
    ///   - actor: who makes it.
    /// - Returns: the link's token, which is kept nowhere: `PUBLIC-URL/#reset=TOKEN`.
    /// - Throws: `WireError.notFound` where there is no such user; `.forbidden` where the account is
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

    /// Makes a link by which somebody may make an account, once, within a week.
    /// - Parameter actor: who makes it.
    /// - Returns: the link's token, which is kept nowhere: `PUBLIC-URL/#sign-up=TOKEN`.
    /// - Throws: `WireError.limitExceeded` where too many are open; `PostgresError`.
    package func makeInvitation(by actor: Actor) async throws -> String {
        let token = Token.make()
        try await store.credentials.addInvitation(
            tokenHash: token.hash,
            lifetime: Self.invitationLifetime,
            by: actor
        )
        return token.text
    }

    /// How long a link sets a password, and how long one makes an account.
    static let linkLifetime: Duration = .seconds(24 * 3600)
    static let invitationLifetime: Duration = .seconds(7 * 24 * 3600)

    // MARK: Users

    /// Disables an account: its sign-ins and keys end, its connections are closed, its answers end as
    /// `stopped`.
    /// - Parameters:
    ///   - user: whose account.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` where there is no such user; `.forbidden` where it is the last
    ///   administrator; `PostgresError`.
    package func disable(_ user: UserID, by actor: Actor) async throws {
        try await store.accounts.disable(user, by: actor)
        await signIns.changed(user)
    }

    /// Deletes an account: what ends when one is disabled ends, and its name is free.
    /// - Parameters:
    ///   - user: whose account.
    ///   - actor: who does it.
    /// - Returns: the teams that others are in, which were left.
    /// - Throws: `WireError.notFound` where there is no such user; `.forbidden` where it is the last
    ///   administrator, or the only owner of a team that others are in; `PostgresError`.
    package func delete(_ user: UserID, by actor: Actor) async throws -> [TeamID] {
        let left = try await store.accounts.delete(user, by: actor)
        await signIns.changed(user)
        return left
    }

    /// Enables an account again.
    /// - Parameters:
    ///   - user: whose account.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` where there is no such user; `PostgresError`.
    package func enable(_ user: UserID, by actor: Actor) async throws {
        try await store.accounts.enable(user, by: actor)
    }

    /// Makes a user an administrator, or takes that away. Their connections are closed, to come back
    /// with other rights.
    /// - Parameters:
    ///   - user: who.
    ///   - isAdministrator: what they are from now on.
    ///   - actor: who does it.
    /// - Throws: `WireError.notFound` where there is no such user; `.forbidden` where it is the last
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
