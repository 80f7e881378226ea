import ChatProtocol
import ChatServer
import ChatStore
import EventLoop
import Postgres
import TestSupport
import Testing

@Suite("Sign-in by password")
struct AuthenticatorTests {
    private func withAuthenticator(
        _ body: @escaping @Sendable (Authenticator, Store) async throws -> Void
    ) async throws {
        try await withAuthenticator { authenticator, store, _ in
            try await body(authenticator, store)
        }
    }

    private func withAuthenticator(
        _ body: @escaping @Sendable (Authenticator, Store, EventLoop) async throws -> Void
    ) async throws {
        let database = try TestCluster.database(migrations: Node.schema)
        let configuration = database.configuration
        try await EventLoop.run { loop in
            let node = try Node(loop, configuration)
            let authenticator = Authenticator(
                loop: loop,
                store: node.store,
                hasher: try PasswordHasher(threads: 1, queueLimit: 4),
                lifetime: SessionLifetime(idle: .seconds(60), absolute: .seconds(600)),
                registration: .closed
            )
            try await body(authenticator, node.store, loop)
            await node.end()
        }
        withExtendedLifetime(database) {}
    }

    /// The error of a sign-in; nil if it succeeded.
    private func refusal(
        _ authenticator: Authenticator,
        _ name: String,
        _ password: String
    ) async throws -> WireError? {
        do {
            _ = try await authenticator.signIn(
                name: name,
                password: password,
                device: "test",
                from: nil
            )
            return nil
        } catch let error as WireError {
            return error
        }
    }

    @Test("replaces a hash of lower cost, and still accepts the password")
    func rehashing() async throws {
        try await withAuthenticator { authenticator, store in
            let cheap = PasswordHash.Cost(n: 1 << 10, r: 8, p: 1)
            let old = try PasswordHash.make("correct horse", cost: cheap).description
            let ann = try await store.accounts.addUser(
                name: "ann",
                passwordHash: old,
                isAdmin: false
            )
            #expect(
                try await refusal(authenticator, "ann", "wrong")?.code == .wrongCredentials
            )
            #expect(try await store.credentials.passwordHash(of: ann.id) == old)
            #expect(try await refusal(authenticator, "ann", "correct horse") == nil)
            let new = try #require(
                PasswordHash(try await store.credentials.passwordHash(of: ann.id))
            )
            #expect(new.cost == PasswordHash.standard)
            #expect(try await refusal(authenticator, "Ann", "correct horse") == nil)
        }
    }

    @Test("returns the same error for an unknown name, a wrong password and a disabled account")
    func sameRefusals() async throws {
        try await withAuthenticator { authenticator, store in
            let cheap = PasswordHash.Cost(n: 1 << 10, r: 8, p: 1)
            let hash = try PasswordHash.make("correct horse", cost: cheap).description
            for name in ["ann", "bob"] {
                _ = try await store.accounts.addUser(name: name, passwordHash: hash, isAdmin: false)
            }
            let bob = try #require(try await store.accounts.account(named: "bob")?.user)
            try await store.accounts.disable(bob.id, by: .terminal)
            let unknown = try await refusal(authenticator, "nobody", "correct horse")
            #expect(unknown?.code == .wrongCredentials)
            #expect(try await refusal(authenticator, "ann", "wrong") == unknown)
            #expect(try await refusal(authenticator, "bob", "correct horse") == unknown)
        }
    }

    @Test("delays users after too many failures, even with the right password")
    func waiting() async throws {
        try await withAuthenticator { authenticator, store in
            let cheap = PasswordHash.Cost(n: 1 << 10, r: 8, p: 1)
            let hash = try PasswordHash.make("correct horse", cost: cheap).description
            _ = try await store.accounts.addUser(name: "ann", passwordHash: hash, isAdmin: false)
            for _ in 0..<12 { _ = try await refusal(authenticator, "ann", "wrong") }
            let refused = try await refusal(authenticator, "ann", "correct horse")
            #expect(refused?.code == .rateLimited)
            #expect(refused?.retryAfter ?? 0 >= 1)
        }
    }

    @Test("of concurrent uses of one link one succeeds, and the others cost no hash")
    func concurrentLinkUses() async throws {
        try await withAuthenticator { authenticator, store, loop in
            let ann = try await store.accounts.addUser(
                name: "ann",
                passwordHash: "none",
                isAdmin: false
            )
            let token = Token.make()
            try await store.credentials.addResetLink(
                tokenHash: token.hash,
                for: ann.id,
                lifetime: .seconds(60),
                by: .terminal
            )
            let request = PasswordResetRequest(token: token.text, password: "battery staple")
            // Far more than the hashing queue permits: the others would be refused.
            var refusals: [ErrorCode?] = []
            let tasks = (0..<30).map { _ in
                loop.spawn {
                    do {
                        _ = try await authenticator.resetPassword(request)
                        refusals.append(nil)
                    } catch {
                        refusals.append((error as? WireError)?.code ?? .internalError)
                    }
                }
            }
            for task in tasks { await task.wait() }
            #expect(refusals.count == 30)
            #expect(refusals.count(where: { $0 == nil }) == 1)
            #expect(refusals.count(where: { $0 == .forbidden }) == 29, "\(refusals)")
            #expect(try await refusal(authenticator, "ann", "battery staple") == nil)
        }
    }
}
