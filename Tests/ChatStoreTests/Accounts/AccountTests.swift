import ChatProtocol
import ChatStore
import Testing

@Suite("Accounts")
struct AccountTests {
    @Test("user names are unique regardless of case")
    func names() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone("Ann")
            #expect(await refusal { _ = try await store.someone("ann") } == .conflict)
            #expect(try await store.accounts.account(named: "ANN")?.user.id == ann.id)
            #expect(try await store.accounts.account(named: "bob") == nil)
        }
    }

    @Test("the sign-up link creates one administrator, once")
    func signUp() async throws {
        try await withStore { store, _ in
            #expect(try await !store.accounts.hasUsers())
            let old = [UInt8](repeating: 1, count: 32)
            let link = [UInt8](repeating: 2, count: 32)
            try await store.accounts.replaceSignUpLink(tokenHash: old, lifetime: .seconds(60))
            try await store.accounts.replaceSignUpLink(tokenHash: link, lifetime: .seconds(60))
            func signUp(_ hash: [UInt8], _ name: String) async -> ErrorCode? {
                await refusal {
                    let user = try await store.accounts.signUp(
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
            #expect(try await store.accounts.hasUsers())
        }
    }
}
