// Who is it: passwords into sign-ins, tokens into users. Hashing happens on threads of its own, as many
// at once as their memory allows, so that a storm of sign-ins stalls nobody.

import ChatProtocol
import ChatStore
import EventLoop

/// Signs people in and knows them again.
final class Authenticator {
    /// What a password may be.
    static let passwordBytes = 8...1024

    private let store: Store
    private let workers: WorkerPool
    private let sessionLifetime: Duration
    /// Checked for unknown names, so that they take as long as known ones.
    private let decoy: PasswordHash

    init(store: Store, workers: WorkerPool, sessionLifetime: Duration) {
        self.store = store
        self.workers = workers
        self.sessionLifetime = sessionLifetime
        decoy = PasswordHash(
            cost: PasswordHash.standard,
            salt: SecureRandom.bytes(16),
            digest: SecureRandom.bytes(32)
        )
    }

    /// Signs a user in by name and password.
    /// - Throws: `WireError.wrongCredentials`, which does not say which of the two was wrong.
    func signIn(
        name: String,
        password: String,
        device: String
    ) async throws -> (token: Token, user: User) {
        let account = try await store.account(named: name)
        let hash = account.flatMap { PasswordHash($0.passwordHash) } ?? decoy
        let matches = try await hashing { () throws(WireError) in
            password.utf8.count <= Self.passwordBytes.upperBound
                ? try hash.matches(password) : false
        }
        guard matches, let account else {
            throw WireError(.wrongCredentials, "the name or the password is wrong")
        }
        return (try await begin(for: account.user, device: device), account.user)
    }

    /// Makes the first user by the one-time link, and signs them in.
    func signUp(
        _ request: SignUpRequest,
        device: String
    ) async throws -> (token: Token, user: User) {
        let name = try Self.validName(request.username)
        let password = try Self.validPassword(request.password)
        let hash = try await hashing { () throws(WireError) in try PasswordHash.make(password) }
        let user = try await store.signUp(
            tokenHash: Token(text: request.token).hash,
            name: name,
            passwordHash: hash.description
        )
        return (try await begin(for: user, device: device), user)
    }

    private func begin(for user: User, device: String) async throws -> Token {
        let token = Token.make()
        _ = try await store.addSession(
            user: user.id,
            tokenHash: token.hash,
            device: device,
            lifetime: sessionLifetime
        )
        return token
    }

    /// The sign-in of a token, where it is valid.
    func session(_ token: String) async throws -> SignedIn? {
        guard token.utf8.count == 64 else { return nil }
        return try await store.session(
            tokenHash: Token(text: token).hash,
            lifetime: sessionLifetime
        )
    }

    /// Ends a sign-in.
    func signOut(_ session: SessionID) async throws {
        try await store.endSession(session)
    }

    private func hashing<Value: Sendable>(
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await workers.run(work)
        } catch WorkerPoolError.busy {
            throw WireError(.busy, "too many people are signing in; try again", retryAfter: 2)
        }
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
