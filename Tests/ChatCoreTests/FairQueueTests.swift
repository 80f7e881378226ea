import ChatCore
import ChatProtocol
import Testing

@Suite("The fair queue")
struct FairQueueTests {
    private typealias Scene = QueueScene

    /// Takes all answers that can start, ending each at once.
    private func drain(_ queue: inout FairQueue) -> [Int] {
        var order: [Int] = []
        while let next = queue.next() {
            order.append(Int(next.position))
            queue.finish(next.message, tokens: next.tokens)
        }
        return order
    }

    @Test("starts each user's first question before any user's second one of the same size")
    func alike() {
        var queue = FairQueue()
        for (position, user) in [1, 1, 1, 2, 2].enumerated() {
            queue.push(Scene.answer(position, of: user, tokens: 200))
        }
        #expect(drain(&queue) == [0, 3, 1, 4, 2])
    }

    @Test("starts answers of a conversation one after the other, and independent ones at once")
    func lines() {
        var queue = FairQueue()
        for position in 0..<4 {
            var answer = Scene.answer(position, of: 1, conversation: position / 2)
            answer.isIndependent = position < 2
            queue.push(answer)
        }
        let started = (0..<4).map { _ in queue.next()?.position }
        #expect(started == [0, 1, 2, nil])
        queue.finish(Scene.id(2, 2), tokens: 100)
        #expect(queue.next()?.position == 3)
    }

    @Test("lets a user with one short question pass a user with a hundred long ones")
    func shortBeforeLong() {
        var queue = FairQueue()
        for position in 0..<100 { queue.push(Scene.answer(position, of: 1, tokens: 4000)) }
        // The first one starts before the second user arrives.
        let first = queue.next()
        #expect(first?.position == 0)
        queue.push(Scene.answer(100, of: 2, tokens: 100))
        #expect(queue.next()?.position == 100)
        #expect(queue.next()?.position == 1)
    }

    @Test("shares between teams first, whatever the number of their users")
    func teams() {
        var queue = FairQueue()
        var position = 0
        for _ in 0..<30 {
            for user in 1...9 {
                queue.push(Scene.answer(position, of: user, team: 1, tokens: 256))
                position += 1
            }
        }
        for _ in 0..<30 {
            queue.push(Scene.answer(position, of: 10, team: 2, tokens: 256))
            position += 1
        }
        var tenth = 0
        for _ in 0..<40 {
            if queue.next()?.user == Scene.user(10) { tenth += 1 }
        }
        #expect(tenth == 20)
    }

    @Test("starts resumed answers first, without charging them")
    func begun() {
        var queue = FairQueue()
        queue.push(Scene.answer(0, of: 1))
        queue.push(Scene.answer(1, of: 2))
        queue.push(Scene.answer(2, of: 1, priority: .batch, tokens: 4000, hasBegun: true))
        #expect(queue.order.map(\.position) == [2, 0, 1])
        #expect(drain(&queue) == [2, 0, 1])
    }

    @Test("starts interactive answers before batch answers")
    func priorities() {
        var queue = FairQueue()
        queue.push(Scene.answer(0, of: 1, priority: .background))
        queue.push(Scene.answer(1, of: 1, priority: .batch))
        queue.push(Scene.answer(2, of: 2, priority: .batch))
        queue.push(Scene.answer(3, of: 3))
        #expect(drain(&queue) == [3, 1, 2, 0])
    }

    @Test("runs one answer of a conversation at a time, in the order of the questions")
    func conversations() {
        var queue = FairQueue()
        // One user's batch question before another user's interactive one: the order is kept.
        queue.push(Scene.answer(1, of: 2, conversation: 7))
        queue.push(Scene.answer(0, of: 1, conversation: 7, priority: .batch))
        let first = queue.next()
        #expect(first?.position == 0)
        #expect(queue.next() == nil)
        queue.finish(Scene.id(2, 0), tokens: 50)
        #expect(queue.next()?.position == 1)
    }

    @Test("limits each user while another user waits, and runs a long answer alone")
    func limits() {
        let limits = FairQueue.Limits(runningPerUser: 2, runningTokensPerUser: 1000)
        var queue = FairQueue(limits: limits)
        for position in 0..<3 { queue.push(Scene.answer(position, of: 1, tokens: 300)) }
        queue.push(Scene.answer(3, of: 2, tokens: 5000))
        queue.push(Scene.answer(4, of: 2, tokens: 5000))
        var begun: Set<Int64> = []
        for _ in 0..<3 {
            if let next = queue.next() { begun.insert(next.position) }
        }
        #expect(begun == [0, 1, 3])
        queue.finish(Scene.id(2, 3), tokens: 5000)
        #expect(queue.next()?.position == 4)
        // No user within the limits waits any more: a run beyond them starts.
        #expect(queue.next()?.position == 2)
    }

    @Test("gives a lone user every slot, and the first other user the next free slot")
    func loneUser() {
        var queue = FairQueue(
            limits: FairQueue.Limits(runningPerUser: 1, runningTokensPerUser: 2048)
        )
        for position in 0..<32 { queue.push(Scene.answer(position, of: 1, tokens: 1500)) }
        let running = (0..<4).compactMap { _ in queue.next() }
        #expect(running.map(\.position) == [0, 1, 2, 3])
        queue.push(Scene.answer(32, of: 2, tokens: 9000))
        queue.finish(running[2].message, tokens: 1500)
        #expect(queue.next()?.position == 32)
        queue.finish(running[0].message, tokens: 1500)
        #expect(queue.next()?.position == 4)
    }

    @Test("limits a team while another team's run waits")
    func teamLimit() {
        var queue = FairQueue(limits: FairQueue.Limits(runningPerTeam: 1))
        queue.push(Scene.answer(0, of: 1, team: 1))
        queue.push(Scene.answer(1, of: 2, team: 1))
        queue.push(Scene.answer(2, of: 3, team: 2))
        #expect([queue.next()?.position, queue.next()?.position] == [0, 2])
        #expect(queue.next()?.position == 1)
    }

    @Test("beyond a team's limit, still applies the limits of its users")
    func userInsideFullTeam() {
        var queue = FairQueue(limits: FairQueue.Limits(runningPerUser: 1, runningPerTeam: 1))
        for position in 0..<3 { queue.push(Scene.answer(position, of: 1, team: 1, tokens: 10)) }
        queue.push(Scene.answer(3, of: 2, team: 1, tokens: 4000))
        #expect(queue.next()?.position == 0)
        #expect(queue.next()?.position == 3)
        #expect(queue.next()?.position == 1)
    }

    @Test("skips answers that cannot start, without delaying others")
    func filter() {
        var queue = FairQueue()
        queue.push(Scene.answer(0, of: 1))
        queue.push(Scene.answer(1, of: 1))
        #expect(queue.next { $0.position != 0 }?.position == 1)
        #expect(queue.next { $0.position != 0 } == nil)
        #expect(queue.next()?.position == 0)
    }

    @Test("corrects charges by the actual number of tokens")
    func settlement() {
        var queue = FairQueue()
        for position in 0..<4 { queue.push(Scene.answer(position, of: 1 + position % 2)) }
        let first = queue.next()
        #expect(first?.user == Scene.user(1))
        // It used ten times the expected tokens: the other user gets the next two turns.
        queue.finish(Scene.id(2, 0), tokens: 1000)
        #expect([queue.next()?.position, queue.next()?.position] == [1, 3])
    }

    @Test("an answer that is put back leaves no trace")
    func puttingBack() {
        var queue = FairQueue()
        for position in 0..<6 { queue.push(Scene.answer(position, of: 1 + position % 3)) }
        var other = queue
        let chosen = other.next()
        if let chosen { other.putBack(chosen.message) }
        #expect(drain(&queue) == drain(&other))
    }

    @Test("users without questions do not accumulate credit")
    func noHoarding() {
        var queue = FairQueue()
        for position in 0..<50 { queue.push(Scene.answer(position, of: 1, tokens: 512)) }
        for _ in 0..<40 {
            let next = queue.next()
            if let next { queue.finish(next.message, tokens: next.tokens) }
        }
        for position in 50..<60 { queue.push(Scene.answer(position, of: 2, tokens: 512)) }
        var second = 0
        for _ in 0..<10 where queue.next()?.user == Scene.user(2) { second += 1 }
        #expect((5...6).contains(second))
    }
}
