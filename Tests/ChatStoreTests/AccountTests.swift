import ChatProtocol
import ChatStore
import Testing

@Suite("Accounts")
struct AccountTests {
    @Test("a name is taken in whatever case it is written")
    func names() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone("Ann")
            #expect(await refusal { _ = try await store.someone("ann") } == .conflict)
            #expect(try await store.account(named: "ANN")?.user.id == ann.id)
            #expect(try await store.account(named: "bob") == nil)
        }
    }

    @Test("a sign-in is found by its token's hash until it ends")
    func sessions() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let hash = [UInt8](repeating: 7, count: 32)
            let id = try await store.addSession(
                user: ann.id,
                tokenHash: hash,
                device: "test",
                lifetime: .seconds(60)
            )
            let found = try await store.session(tokenHash: hash, lifetime: .seconds(60))
            #expect(found?.session == id)
            #expect(found?.user.id == ann.id)
            try await store.endSession(id)
            #expect(try await store.session(tokenHash: hash, lifetime: .seconds(60)) == nil)
        }
    }

    @Test("a sign-in that is out of date is none")
    func expiry() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let hash = [UInt8](repeating: 8, count: 32)
            _ = try await store.addSession(
                user: ann.id,
                tokenHash: hash,
                device: "test",
                lifetime: .seconds(-1)
            )
            #expect(try await store.session(tokenHash: hash, lifetime: .seconds(60)) == nil)
            try await store.forgetExpired()
        }
    }

    @Test("the sign-up link makes one administrator, once")
    func signUp() async throws {
        try await withStore { store, _ in
            #expect(try await !store.hasUsers())
            let old = [UInt8](repeating: 1, count: 32)
            let link = [UInt8](repeating: 2, count: 32)
            try await store.replaceSignUpLink(tokenHash: old, lifetime: .seconds(60))
            try await store.replaceSignUpLink(tokenHash: link, lifetime: .seconds(60))
            func signUp(_ hash: [UInt8], _ name: String) async -> ErrorCode? {
                await refusal {
                    let user = try await store.signUp(
                        tokenHash: hash,
                        name: name,
                        passwordHash: "none"
                    )
                    #expect(user.isAdmin == true)
                }
            }
            #expect(await signUp(old, "eve") == .forbidden)
            #expect(await signUp(link, "ann") == nil)
            #expect(await signUp(link, "eve") == .forbidden)
            #expect(try await store.hasUsers())
        }
    }
}
