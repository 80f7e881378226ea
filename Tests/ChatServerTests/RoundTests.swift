import ChatServer
import Testing

@Suite("A round of polling")
struct RoundTests {
    @Test("includes each member once, about as many in each turn")
    func members() {
        var round = Round<Int>(turnCountMax: 60, least: 100)
        for _ in 0..<2 {
            var seen: [Int] = []
            var turnCount = 0
            repeat {
                let turn = round.next { Array(0..<19_001) }
                #expect((316...317).contains(turn.count))
                seen += turn
                turnCount += 1
            } while !round.isOver
            #expect(seen == Array(0..<19_001))
            #expect(turnCount == 60)
        }
    }

    @Test(
        "has fewer turns if there are few members",
        arguments: [(0, 1), (99, 1), (250, 2), (6000, 60)]
    )
    func few(count: Int, turnCount: Int) {
        var round = Round<Int>(turnCountMax: 60, least: 100)
        var sum = 0
        for _ in 0..<turnCount { sum += round.next { Array(0..<count) }.count }
        #expect(sum == count)
        #expect(round.isOver)
    }

    @Test("includes members added meanwhile in the next round")
    func arrivals() {
        var members = ["ann", "bob"]
        var round = Round<String>(turnCountMax: 60, least: 1)
        var seen = Array(round.next { members })
        members = ["cid"]
        for _ in 0..<2 { seen += round.next { members } }
        #expect(seen == ["ann", "bob", "cid"])
    }
}
