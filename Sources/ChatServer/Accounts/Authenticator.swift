// Who is it: passwords into sign-ins, tokens into users. Hashing happens on threads of its own, as many
// at once as their memory allows, so that a storm of sign-ins stalls nobody.

import ChatCore
package import ChatProtocol
package import ChatStore
package import EventLoop

/// Signs people in and knows them again.
package final class Authenticator {
    /// What a password may be.
    static let passwordBytes = 8...1024
    /// For how long a sign-in says that its owner is there.
    private static let recently = Duration.seconds(600)

    private let loop: EventLoop
    private let store: Store
    private let hasher: PasswordHasher
    private let lifetime: SessionLifetime
    private let registration: RegistrationPolicy
    private var limiter = SignInLimiter()
    /// One-time links are used one at a time: once one use has succeeded, the others cost no hash. Thirty at
    /// once would else have everybody wait for thirty hashes, of which one can count.
    private let linkUses: SerialQueues<[UInt8]>
    /// How often people at one place begin to sign in with the provider: what was begun is kept.
    private var openIDStarts = RateLimiter<String>(perMinute: 60)
    /// Checked for unknown names, so that they take as long as known ones.
    private let decoy = PasswordHash.decoy()

    package init(
        loop: EventLoop,
        store: Store,
        hasher: PasswordHasher,
        lifetime: SessionLifetime,
        registration: RegistrationPolicy
    ) {
        self.loop = loop
        self.store = store
        self.hasher = hasher
        self.lifetime = lifetime
        self.registration = registration
        linkUses = SerialQueues(loop: loop)
    }

    // MARK: Signing in

    /// Signs a user in by name and password.
    /// - Parameters:
    ///   - name: who.
    ///   - password: what they say.
    ///   - device: what the client calls itself.
    ///   - place: where the try comes from; counted against that.
    /// - Returns: the token, and the user.
    /// - Throws: `WireError.wrongCredentials`, which does not say which of the two was wrong;
    ///   `.rateLimited` after too many failures; `.busy` where too many sign in at once.
    package func signIn(
        name: String,
        password: String,
        device: String,
        from place: String?
    ) async throws -> (token: Token, user: User) {
        try hasher.requireRoom()
        let account = try await limited(name, place) {
            let account = try await store.accounts.account(named: name)
            return try await matches(account, password) ? account : nil
        }
        guard !account.isDisabled else { throw Self.wrong }
        return (try await begin(for: account.user, device: device), account.user)
    }

    /// Signs in a user whom a trusted proxy names.
    /// - Parameters:
    ///   - name: who.
    ///   - device: what the client calls itself.
    ///   - makesUsers: whether who has no account gets one.
    /// - Returns: the token, and the user.
    /// - Throws: `WireError.forbidden` where there is no such account, or it is disabled.
    func signInTrusted(
        name: String,
        device: String,
        makesUsers: Bool
    ) async throws -> (token: Token, user: User) {
        var account = try await store.accounts.account(named: name)
        if account == nil, makesUsers {
            // No password has this hash. Where somebody else was faster, the account is there.
            _ = try? await store.accounts.addUser(name: name, passwordHash: "none", isAdmin: false)
            account = try await store.accounts.account(named: name)
        }
        guard let account, !account.isDisabled else {
            throw WireError(.forbidden, "there is no account for you here")
        }
        return (try await begin(for: account.user, device: device), account.user)
    }

    /// Makes a user by a one-time link, and signs them in: the first one, or one who was invited.
    func signUp(
        _ request: SignUpRequest,
        device: String
    ) async throws -> (token: Token, user: User) {
        let name = try Self.validName(request.username)
        let password = try Self.validPassword(request.password)
        let link = Token(text: request.token).hash
        let takesInvitations = registration == .invite
        let user = try await linkUses.run(link) {
            // Who has no link costs no hash.
            var isGood = try await store.credentials.hasSignUpLink(tokenHash: link)
            if !isGood, takesInvitations {
                isGood = try await store.credentials.hasLink(.invitation, tokenHash: link)
            }
            guard isGood else { throw WireError.deadLink }
            let hash = try await hashed(password)
            return try await store.accounts.signUp(
                tokenHash: link,
                name: name,
                passwordHash: hash,
                takesInvitations: takesInvitations
            )
        }
        return (try await begin(for: user, device: device), user)
    }

    /// Counts that somebody begins to sign in with the OpenID provider.
    /// - Parameter place: where they are; nil where that is not known, and not counted.
    /// - Throws: `WireError.rateLimited`, with the time until the next is let in.
    func countOpenIDStart(from place: String?) throws(WireError) {
        guard let place, let wait = openIDStarts.take(place, now: loop.now) else { return }
        throw WireError(
            .rateLimited,
            "more than \(openIDStarts.perMinute) sign-ins were begun from this address in a minute",
            retryAfter: wait.seconds
        )
    }

    /// Begins a sign-in of somebody who was found to be the user.
    func begin(for user: User, device: String) async throws -> Token {
        let token = Token.make()
        _ = try await store.sessions.add(
            user: user.id,
            tokenHash: token.hash,
            device: device,
            lifetime: lifetime
        )
        return token
    }

    // MARK: Passwords

    /// Changes a password, whose owner knows the old one, and ends the owner's other sign-ins.
    /// - Throws: `WireError.wrongCredentials` where the old one is another; `.badRequest` where the
    ///   new one is not fit; `.rateLimited` after too many failures.
    func changePassword(
        of user: User,
        from old: String,
        to new: String,
        but kept: SessionID?
    ) async throws {
        let new = try Self.validPassword(new)
        try hasher.requireRoom()
        let stored = try await limited(user.name, nil) {
            let stored = try await store.credentials.passwordHash(of: user.id)
            let hash = PasswordHash(stored) ?? decoy
            return try await check(old, against: hash) ? stored : nil
        }
        let hash = try await hashed(new)
        try await store.credentials.changePassword(of: user, from: stored, to: hash, but: kept)
    }

    /// Sets a password by a one-time link.
    /// - Returns: whose it was; all their sign-ins have ended.
    /// - Throws: `WireError.forbidden` where the link is unknown, used or out of date.
    package func resetPassword(_ request: PasswordResetRequest) async throws -> UserID {
        let password = try Self.validPassword(request.password)
        let link = Token(text: request.token).hash
        return try await linkUses.run(link) {
            guard try await store.credentials.hasLink(.reset, tokenHash: link) else {
                throw WireError.deadLink
            }
            let hash = try await hashed(password)
            return try await store.credentials.resetPassword(tokenHash: link, passwordHash: hash)
        }
    }

    /// What is stored of a password.
    private func hashed(_ password: String) async throws -> String {
        try await hasher.run { () throws(WireError) in try PasswordHash.make(password) }.description
    }

    /// Makes sure that it is the account's owner who asks: by the password, or, of an account without
    /// one, by having signed in a moment ago.
    /// - Throws: `WireError.wrongCredentials` where the password is another; `.badRequest` where there
    ///   is none; `.forbidden` where the sign-in is old; `.rateLimited` after too many failures.
    func confirm(_ signedIn: SignedIn, password: String?) async throws {
        guard
            let hash = PasswordHash(try await store.credentials.passwordHash(of: signedIn.user.id))
        else {
            guard try await store.sessions.isRecent(signedIn.session, within: Self.recently) else {
                throw WireError(
                    .forbidden,
                    "your account has no password: sign in again, and ask within ten minutes"
                )
            }
            return
        }
        guard let password else { throw WireError(.badRequest, "password is missing") }
        try hasher.requireRoom()
        _ = try await limited(signedIn.user.name, nil) {
            try await check(password, against: hash) ? true : nil
        }
    }

    /// Whether a password is an account's. What is stored at a lower cost than the standard is stored
    /// anew.
    private func matches(_ account: Account?, _ password: String) async throws -> Bool {
        guard let account, let hash = PasswordHash(account.passwordHash) else {
            _ = try await check(password, against: decoy)
            return false
        }
        guard try await check(password, against: hash) else { return false }
        if hash.isWeak {
            try await store.credentials.rehashPassword(
                of: account.user.id,
                from: account.passwordHash,
                to: try await hashed(password)
            )
        }
        return true
    }

    private func check(_ password: String, against hash: PasswordHash) async throws -> Bool {
        guard password.utf8.count <= Self.passwordBytes.upperBound else { return false }
        return try await hasher.run { () throws(WireError) in try hash.matches(password) }
    }

    /// Runs a check of a name and a password within the limits on failures.
    /// - Returns: what the check found.
    private func limited<Found>(
        _ name: String,
        _ place: String?,
        _ check: () async throws -> Found?
    ) async throws -> Found {
        let attempt: SignInLimiter.Attempt
        do throws(SignInLimiter.Refusal) {
            attempt = try limiter.admit(account: name, address: place, now: loop.now)
        } catch {
            throw WireError(
                .rateLimited,
                "too many failed sign-ins; wait and try again",
                retryAfter: max(1, (error.wait / .milliseconds(1) / 1000).rounded(.up))
            )
        }
        let found: Found?
        do {
            found = try await check()
        } catch {
            limiter.abandoned(attempt, now: loop.now)
            throw error
        }
        guard let found else {
            limiter.failed(attempt, now: loop.now)
            throw Self.wrong
        }
        limiter.succeeded(attempt, now: loop.now)
        return found
    }

    private static let wrong = WireError(
        .wrongCredentials,
        "the name or the password is wrong"
    )

    // MARK: Tokens

    /// The sign-in of a token, or the key that it is, where it is valid.
    func session(_ token: String) async throws -> SignedIn? {
        if token.hasPrefix(Token.keyPrefix) {
            guard token.utf8.count == Token.keyPrefix.utf8.count + 64 else { return nil }
            return try await store.credentials.signedIn(keyHash: Token(text: token).hash)
        }
        guard token.utf8.count == 64 else { return nil }
        return try await store.sessions.session(
            tokenHash: Token(text: token).hash,
            lifetime: lifetime
        )
    }

    /// Ends the sign-in that another one of the same user takes the place of.
    /// - Returns: whether there was one.
    func replace(_ token: String, of user: UserID) async throws -> Bool {
        guard token.utf8.count == 64 else { return false }
        return try await store.sessions.end(tokenHash: Token(text: token).hash, of: user)
    }

    // MARK: Rules

    /// A name without white space around it.
    /// - Throws: `WireError.badRequest` where it is empty, long, or holds what no name should.
    static func validName(_ text: String) throws(WireError) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_.".unicodeScalars.contains(scalar)
        }
        guard (1...64).contains(text.count), text.utf8.count <= 200, isPlain else {
            throw WireError(
                .badRequest,
                "a name is 1 to 64 letters, digits, hyphens, dots and underscores"
            )
        }
        return text
    }

    /// A password of a length that is worth hashing.
    static func validPassword(_ text: String) throws(WireError) -> String {
        guard passwordBytes.contains(text.utf8.count) else {
            throw WireError(.badRequest, "a password is 8 to 1024 bytes long")
        }
        return text
    }
}
