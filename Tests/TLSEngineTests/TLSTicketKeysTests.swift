import TLSEngine
import Testing

@Suite("Session ticket keys")
struct TLSTicketKeysTests {
    private let keys = TLSTicketKeys(lifetime: .seconds(60))
    private let start = ContinuousClock.now

    @Test("a key encrypts for its lifetime and decrypts for as long again")
    func rotation() {
        let first = keys.encryptionKey(at: start)
        #expect(keys.encryptionKey(at: start + .seconds(50)).name == first.name)
        let second = keys.encryptionKey(at: start + .seconds(70))
        #expect(second.name != first.name)
        #expect(keys.decryptionKey(named: first.name, at: start + .seconds(70)) != nil)
        #expect(keys.decryptionKey(named: second.name, at: start + .seconds(70)) != nil)
        #expect(keys.decryptionKey(named: first.name, at: start + .seconds(130)) == nil)
    }

    @Test("of three keys the oldest is deleted, and an unknown name finds no key")
    func forgetting() {
        let first = keys.encryptionKey(at: start)
        _ = keys.encryptionKey(at: start + .seconds(70))
        _ = keys.encryptionKey(at: start + .seconds(140))
        #expect(keys.decryptionKey(named: first.name, at: start) == nil)
        #expect(keys.decryptionKey(named: [UInt8](repeating: 0, count: 16), at: start) == nil)
    }
}
