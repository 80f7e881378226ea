import ChatServer
import Testing

@Suite("A password hash")
struct PasswordHashTests {
    private let cheap = PasswordHash.Cost(n: 1 << 10, r: 8, p: 1)

    @Test("matches its password and no other, also after it was stored")
    func matching() throws {
        let hash = try PasswordHash.make("correct horse", cost: cheap)
        let stored = try #require(PasswordHash(hash.description))
        #expect(try stored.matches("correct horse"))
        #expect(try !stored.matches("correct horsf"))
        #expect(try !stored.matches(""))
    }

    @Test("differs each time, since the salt is random")
    func salt() throws {
        let hashes = try (0..<3).map { _ in try PasswordHash.make("same", cost: cheap).description }
        #expect(Set(hashes).count == 3)
    }

    @Test("contains its cost, and the standard cost is OWASP's")
    func cost() throws {
        #expect(try PasswordHash.make("x").description.hasPrefix("scrypt$131072$8$1$"))
    }

    @Test(
        "is not parsed from invalid text",
        arguments: [
            "", "scrypt", "bcrypt$1024$8$1$00$00", "scrypt$1000$8$1$00$00",
            "scrypt$1099511627776$8$1$00$00", "scrypt$1024$8$1$zz$00",
            "scrypt$1024$0$1$00$00", "scrypt$1024$8$1$00$0011",
        ]
    )
    func malformed(text: String) {
        #expect(PasswordHash(text) == nil)
    }
}
