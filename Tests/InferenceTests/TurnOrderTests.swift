// Turns on shared compute threads, in order and by time.

import Inference
import TestSupport
import Testing

@Suite("Turns on shared compute threads")
struct TurnOrderTests {
    /// Members with turns of these lengths, which always want another one, for a while.
    private func totals(
        of lengths: [Duration],
        during span: Duration,
        in order: inout TurnOrder,
        _ members: [Int]
    ) -> [Duration] {
        let before = members.map { order.total(of: $0) }
        for member in members { order.request(member) }
        var time = Duration.zero
        while time < span, let holder = order.holder, let index = members.firstIndex(of: holder) {
            order.end(holder, after: lengths[index])
            time += lengths[index]
        }
        return zip(members, before).map { order.total(of: $0) - $1 }
    }

    @Test(
        "members that always have work get equal time, whatever their turns take",
        arguments: [
            [Duration.milliseconds(100), .milliseconds(100)],
            [.milliseconds(1), .milliseconds(100)],
            [.milliseconds(750), .milliseconds(80), .milliseconds(3)],
        ]
    )
    func equalTime(lengths: [Duration]) throws {
        var order = TurnOrder()
        let members = lengths.map { _ in order.add() }
        let totals = totals(of: lengths, during: .seconds(60), in: &order, members)
        let least = try #require(totals.min())
        let most = try #require(totals.max())
        let longest = try #require(lengths.max())
        #expect(most - least <= longest, "\(totals)")
    }

    @Test("turns of random lengths never put a member more than the longest two behind")
    func randomLengths() {
        var random = SeededGenerator(seed: 11)
        var order = TurnOrder()
        let members = (0..<5).map { _ in order.add() }
        for member in members { order.request(member) }
        for _ in 0..<10_000 {
            guard let holder = order.holder else { return #expect(Bool(false), "nobody has it") }
            order.end(holder, after: .milliseconds(Int.random(in: 0...200, using: &random)))
            let totals = members.map { order.total(of: $0) }
            let spread = (totals.max() ?? .zero) - (totals.min() ?? .zero)
            #expect(spread <= .milliseconds(400))
        }
    }

    @Test("a member that is alone has the turn at once, and again")
    func alone() {
        var order = TurnOrder()
        let member = order.add()
        #expect(order.holder == nil)
        order.request(member)
        #expect(order.holder == member)
        order.end(member, after: .seconds(1))
        #expect(order.holder == member)
        order.rest(member, after: .zero)
        #expect(order.holder == nil)
        #expect(order.total(of: member) == .seconds(1))
    }

    @Test("a pause earns nothing: who comes back shares from then on")
    func pause() throws {
        var order = TurnOrder()
        let members = [order.add(), order.add()]
        order.request(members[0])
        for _ in 0..<100 { order.end(members[0], after: .milliseconds(100)) }
        let lengths = [Duration.milliseconds(100), .milliseconds(100)]
        let totals = totals(of: lengths, during: .seconds(10), in: &order, members)
        #expect(totals == [.seconds(5), .seconds(5)])
    }

    @Test("a request can be withdrawn, and a removed member holds up nobody")
    func withdrawal() {
        var order = TurnOrder()
        let (first, second, third) = (order.add(), order.add(), order.add())
        for member in [first, second, third] { order.request(member) }
        order.rest(second, after: .seconds(9))
        #expect(order.total(of: second) == .zero, "it had no turn")
        order.end(first, after: .milliseconds(10))
        #expect(order.holder == third)
        order.remove(third)
        #expect(order.holder == first)
        order.end(second, after: .seconds(1))
        #expect(order.holder == first, "others cannot end its turn")
    }
}
