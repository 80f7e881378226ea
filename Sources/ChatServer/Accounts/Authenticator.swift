// Authentication: passwords to sign-ins, tokens to users. Passwords are hashed on other threads, as
// many at once as memory permits, so that many sign-ins do not stall other users.

import ChatCore
package import ChatProtocol
package import ChatStore
package import EventLoop

/// Signs users in and authenticates their tokens.
package final class Authenticator {
    /// Allowed length of a password, in characters (Unicode scalars, as NIST SP 800-63B counts).
    static let passwordLengths = 8...1024
    /// How long a sign-in counts as recent, which replaces the password of accounts without one.
    private static let recently = Duration.seconds(600)

    private let loop: EventLoop
    private let store: Store
    private let hasher: PasswordHasher
    private let lifetime: SessionLifetime
    private let registration: RegistrationPolicy
    private var limiter = SignInLimiter()
    /// Uses of the same one-time link run one at a time: after one has succeeded, the others fail
    /// without a hash. Otherwise, of thirty concurrent uses each would wait for thirty hashes, of
    /// which one can succeed.
    private let linkUses: SerialQueues<[UInt8]>
    /// Limits OpenID sign-ins started per place: each started one is stored.
    private var openIDStarts = RateLimiter<String>(perMinute: 60)
    /// Checked for unknown names, so that they take as long as existing ones.
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
    ///   - name: the user name.
    ///   - password: the password.
    ///   - device: the client's name for itself.
    ///   - place: the client's network, whose failures are counted.
    /// - Returns: the token, and the user.
    /// - Throws: `WireError.wrongCredentials`, which does not say whether the name or the password
    ///   was wrong; `.rateLimited` after too many failures; `.busy` if too many users sign in at
    ///   once.
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

    /// Signs in a user whom a trusted proxy has authenticated.
    /// - Parameters:
    ///   - name: the user name.
    ///   - device: the client's name for itself.
    ///   - makesUsers: whether to create a missing account.
    /// - Returns: the token, and the user.
    /// - Throws: `WireError.forbidden` if there is no such account, or it is disabled.
    func signInTrusted(
        name: String,
        device: String,
        makesUsers: Bool
    ) async throws -> (token: Token, user: User) {
        var account = try await store.accounts.account(named: name)
        if account == nil, makesUsers {
            // No password has this hash. If another request was faster, the account exists.
            _ = try? await store.accounts.addUser(name: name, passwordHash: "none", isAdmin: false)
            account = try await store.accounts.account(named: name)
        }
        guard let account, !account.isDisabled else {
            throw WireError(.forbidden, "there is no account for you here")
        }
        return (try await begin(for: account.user, device: device), account.user)
    }

    /// Creates a user with a one-time link, and signs them in: the first user, or an invited one.
    func signUp(
        _ request: SignUpRequest,
        device: String
    ) async throws -> (token: Token, user: User) {
        let name = try Self.validName(request.username)
        let password = try Self.validPassword(request.password)
        let link = Token(text: request.token).hash
        let takesInvitations = registration == .invite
        let user = try await linkUses.run(link) {
            // A request without a valid link costs no hash.
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

    /// Counts the start of a sign-in with the OpenID provider.
    /// - Parameter place: the client's network; nil if unknown, which is not limited.
    /// - Throws: `WireError.rateLimited`, with the time until the next attempt.
    func countOpenIDStart(from place: String?) throws(WireError) {
        guard let place, let wait = openIDStarts.take(place, now: loop.now) else { return }
        throw WireError(
            .rateLimited,
            "more than \(openIDStarts.perMinute) sign-ins were begun from this address in a minute",
            retryAfter: wait.seconds
        )
    }

    /// Creates a sign-in for an authenticated user.
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

    /// Changes a password after checking the old one, and ends the user's other sign-ins.
    /// - Throws: `WireError.wrongCredentials` if the old password is wrong; `.badRequest` if the
    ///   new one is invalid; `.rateLimited` after too many failures.
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

    /// Sets a password with a one-time link.
    /// - Returns: the user; all their sign-ins have ended.
    /// - Throws: `WireError.forbidden` if the link is unknown, used or expired.
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

    /// The hash to store for a password.
    private func hashed(_ password: String) async throws -> String {
        try await hasher.run { () throws(WireError) in try PasswordHash.make(password) }.description
    }

    /// Checks that the request comes from the account's owner: by the password, or, for an account
    /// without one, by a recent sign-in.
    /// - Throws: `WireError.wrongCredentials` if the password is wrong; `.badRequest` if it is
    ///   missing; `.forbidden` if the sign-in is not recent; `.rateLimited` after too many
    ///   failures.
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

    /// Whether a password is an account's. A hash of lower cost than the standard is replaced.
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
        guard password.unicodeScalars.count <= Self.passwordLengths.upperBound else { return false }
        return try await hasher.run { () throws(WireError) in try hash.matches(password) }
    }

    /// Checks a name and a password within the limits on failures.
    /// - Returns: the result of the check.
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

    /// The sign-in of a token, or of an API key, if it is valid.
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

    /// Ends a sign-in that a new one of the same user replaces.
    /// - Returns: whether it existed.
    func replace(_ token: String, of user: UserID) async throws -> Bool {
        guard token.utf8.count == 64 else { return false }
        return try await store.sessions.end(tokenHash: Token(text: token).hash, of: user)
    }

    // MARK: Rules

    /// A name without surrounding white space.
    /// - Throws: `WireError.badRequest` if it is empty, too long, or has invalid characters.
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

    /// Checks a password's length.
    static func validPassword(_ text: String) throws(WireError) -> String {
        guard passwordLengths.contains(text.unicodeScalars.count) else {
            throw WireError(.badRequest, "a password has 8 to 1024 characters")
        }
        return text
    }
}
