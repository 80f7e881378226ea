import ChatServer
import Testing

@Suite("The threads that hash passwords")
struct PasswordHasherTests {
    @Test("check an unknown name at the cost of a known one")
    func decoy() {
        let decoy = PasswordHash.decoy()
        #expect(decoy.cost == PasswordHash.standard)
        #expect(!decoy.isWeak)
    }

    @Test("know a hash that was made at a lower cost", arguments: [14, 16])
    func weak(log: Int) throws {
        let cost = PasswordHash.Cost(n: 1 << UInt64(log), r: 8, p: 1)
        #expect(try PasswordHash.make("correct horse", cost: cost).isWeak)
    }
}
