import TLSEngine
import Testing

@Suite("Keys of session tickets")
struct TLSTicketKeysTests {
    private let keys = TLSTicketKeys(lifetime: .seconds(60))
    private let start = ContinuousClock.now

    @Test("a key seals for its lifetime, and opens for as long again")
    func rotation() {
        let first = keys.sealingKey(at: start)
        #expect(keys.sealingKey(at: start + .seconds(50)).name == first.name)
        let second = keys.sealingKey(at: start + .seconds(70))
        #expect(second.name != first.name)
        #expect(keys.openingKey(named: first.name, at: start + .seconds(70)) != nil)
        #expect(keys.openingKey(named: second.name, at: start + .seconds(70)) != nil)
        #expect(keys.openingKey(named: first.name, at: start + .seconds(130)) == nil)
    }

    @Test("of three keys the oldest is gone, and a name that nobody gave opens nothing")
    func forgetting() {
        let first = keys.sealingKey(at: start)
        _ = keys.sealingKey(at: start + .seconds(70))
        _ = keys.sealingKey(at: start + .seconds(140))
        #expect(keys.openingKey(named: first.name, at: start) == nil)
        #expect(keys.openingKey(named: [UInt8](repeating: 0, count: 16), at: start) == nil)
    }
}
