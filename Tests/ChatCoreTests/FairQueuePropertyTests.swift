import ChatCore
import ChatProtocol
import Testing

@Suite("The fair queue, over random workloads")
struct FairQueuePropertyTests {
    private typealias Scene = QueueScene

    private func workload(_ dice: inout Dice, count: Int) -> [QueuedAnswer] {
        let limit = Int.random(in: 2...12, using: &dice)
        return (0..<count).map { position in
            Scene.answer(
                position,
                of: Int.random(in: 1...limit, using: &dice),
                conversation: Bool.random(using: &dice)
                    ? Int.random(in: 0..<20, using: &dice) : nil,
                team: Int.random(in: 0...2, using: &dice),
                priority: Int.random(in: 0..<4, using: &dice) == 0 ? .batch : .interactive,
                tokens: Int.random(in: 1...3000, using: &dice),
                hasBegun: Int.random(in: 0..<10, using: &dice) == 0
            )
        }
    }

    private func limits(_ dice: inout Dice) -> FairQueue.Limits {
        FairQueue.Limits(
            runningPerUser: Int.random(in: 1...3, using: &dice),
            runningTokensPerUser: Int.random(in: 1...4000, using: &dice),
            runningPerTeam: Int.random(in: 1...3, using: &dice)
        )
    }

    @Test("starts each answer once, and leaves no usable slot empty", arguments: 0..<40)
    func conservation(seed: UInt64) {
        var dice = Dice(seed)
        let answers = workload(&dice, count: 200)
        var queue = FairQueue(limits: limits(&dice))
        var begun: Set<MessageID> = []
        var running: [QueuedAnswer] = []
        var arriving = answers[...]
        while begun.count < answers.count || !running.isEmpty {
            for answer in arriving.prefix(Int.random(in: 0...9, using: &dice)) {
                queue.push(answer)
                arriving.removeFirst()
            }
            while running.count < 4, let next = queue.next() {
                #expect(begun.insert(next.message).inserted)
                #expect(!running.contains { $0.conversation == next.conversation })
                running.append(next)
            }
            if running.count < 4 {
                // A waiting answer is behind a running one of its conversation.
                let occupied = Set(running.map(\.conversation))
                #expect(queue.waiting.values.allSatisfy { occupied.contains($0.conversation) })
            }
            if let index = running.indices.randomElement(using: &dice) {
                let ended = running.remove(at: index)
                queue.finish(ended.message, tokens: Int.random(in: 1...3000, using: &dice))
            }
        }
        #expect(queue.waiting.isEmpty && queue.running.isEmpty)
    }

    @Test("prefers runs within the limits to runs beyond them", arguments: 0..<40)
    func limitsBindWhileOthersWait(seed: UInt64) {
        var dice = Dice(seed)
        let limits = limits(&dice)
        var queue = FairQueue(limits: limits)
        for answer in workload(&dice, count: 200) { queue.push(answer) }
        func isWithin(_ answer: QueuedAnswer, _ running: [QueuedAnswer]) -> Bool {
            let own = running.filter { $0.user == answer.user }
            let tokens = own.reduce(answer.tokens) { $0 + $1.tokens }
            let team = running.count { $0.team == answer.team }
            return team < limits.runningPerTeam
                && (own.isEmpty
                    || own.count < limits.runningPerUser
                        && tokens <= limits.runningTokensPerUser)
        }
        /// Users whose next run is within the limits: a later one never passes an earlier one.
        func usersWithin(_ running: [QueuedAnswer]) -> Set<UserID> {
            let occupied = Set(running.map(\.conversation))
            var heads: [ConversationID: QueuedAnswer] = [:]
            for answer in queue.waiting.values.sorted(by: { $0.position < $1.position }) {
                if !occupied.contains(answer.conversation), heads[answer.conversation] == nil {
                    heads[answer.conversation] = answer
                }
            }
            // Interrupted answers are in one line, whatever their priorities.
            let lines = Dictionary(grouping: heads.values) {
                let share = $0.hasBegun ? "interrupted" : "\($0.priority)"
                return "\($0.user) \(String(describing: $0.team)) \(share)"
            }
            let first = lines.values.compactMap { line in line.min { $0.position < $1.position } }
            return Set(first.filter { isWithin($0, running) }.map(\.user))
        }
        var running: [QueuedAnswer] = []
        while !queue.waiting.isEmpty {
            while running.count < 5 {
                let users = usersWithin(running)
                guard let next = queue.next() else { break }
                #expect(users.isEmpty || isWithin(next, running))
                running.append(next)
            }
            let ended = running.remove(at: Int.random(in: 0..<running.count, using: &dice))
            queue.finish(ended.message, tokens: Int.random(in: 1...3000, using: &dice))
        }
    }

    @Test("gives a newcomer the next slot, however much others have queued", arguments: 0..<40)
    func newcomer(seed: UInt64) {
        var dice = Dice(seed)
        let limits = FairQueue.Limits(runningPerUser: Int.random(in: 1...3, using: &dice))
        var queue = FairQueue(limits: limits)
        let slots = limits.runningPerUser + Int.random(in: 1...4, using: &dice)
        for position in 0..<100 {
            let tokens = Int.random(in: 1...3000, using: &dice)
            queue.push(Scene.answer(position, of: 1, team: 1, tokens: tokens))
        }
        var running = (0..<slots).compactMap { _ in queue.next() }
        #expect(running.count == slots)
        for _ in 0..<Int.random(in: 0...50, using: &dice) {
            let ended = running.remove(at: Int.random(in: 0..<slots, using: &dice))
            queue.finish(ended.message, tokens: Int.random(in: 1...3000, using: &dice))
            if let next = queue.next() { running.append(next) }
        }
        let tokens = Int.random(in: 1...100_000, using: &dice)
        let team = Bool.random(using: &dice) ? 1 : 2
        queue.push(Scene.answer(100, of: 2, team: team, tokens: tokens))
        let ended = running.remove(at: Int.random(in: 0..<slots, using: &dice))
        queue.finish(ended.message, tokens: ended.tokens)
        #expect(queue.next()?.user == Scene.user(2))
    }

    @Test("keeps each user's order, independent of the order of arrival", arguments: 0..<40)
    func order(seed: UInt64) {
        var dice = Dice(seed)
        let answers = workload(&dice, count: 120)
        func drained(_ arrival: [QueuedAnswer]) -> [Int64] {
            var queue = FairQueue()
            for answer in arrival { queue.push(answer) }
            var order: [Int64] = []
            while let next = queue.next() {
                order.append(next.position)
                queue.finish(next.message, tokens: next.tokens)
            }
            return order
        }
        let order = drained(answers)
        #expect(order.count == answers.count)
        #expect(drained(answers.shuffled(using: &dice)) == order)
        #expect(drained(answers.reversed()) == order)
        let own = Dictionary(grouping: order.map { answers[Int($0)] }) {
            "\($0.user) \($0.priority) \($0.hasBegun) \($0.conversation)"
        }
        for answers in own.values {
            #expect(answers.map(\.position) == answers.map(\.position).sorted())
        }
    }

    @Test("predicts the order if nothing delays it", arguments: 0..<40)
    func prediction(seed: UInt64) {
        var dice = Dice(seed)
        var queue = FairQueue()
        for answer in workload(&dice, count: 150) {
            queue.push(
                Scene.answer(
                    Int(answer.position),
                    of: Int.random(in: 1...8, using: &dice),
                    team: Int.random(in: 0...2, using: &dice),
                    tokens: answer.tokens
                )
            )
        }
        let told = queue.order.map(\.position)
        var order: [Int64] = []
        while let next = queue.next() { order.append(next.position) }
        #expect(told == order)
    }

    /// Tokens served to each user while all have queued answers.
    private func served(_ dice: inout Dice, users: Int) -> [Int] {
        var queue = FairQueue()
        var position = 0
        func ask(_ user: Int, _ dice: inout Dice) {
            // Half of the users ask for many tokens at a time, the others for few.
            let tokens = Int.random(in: 1...(user.isMultiple(of: 2) ? 4000 : 200), using: &dice)
            queue.push(Scene.answer(position, of: user, tokens: tokens))
            position += 1
        }
        for user in 0..<users {
            for _ in 0..<3 { ask(user, &dice) }
        }
        var served = [Int](repeating: 0, count: users)
        var running: [QueuedAnswer] = []
        for _ in 0..<4000 {
            while running.count < 4, let next = queue.next() {
                running.append(next)
                // A user whose answer starts asks again: all have queued answers at all times.
                ask((0..<users).first { Scene.user($0) == next.user } ?? 0, &dice)
            }
            let ended = running.remove(at: Int.random(in: 0..<running.count, using: &dice))
            // Expectations are wrong by up to a factor of two.
            let tokens = max(1, ended.tokens * Int.random(in: 50...200, using: &dice) / 100)
            queue.finish(ended.message, tokens: tokens)
            let user = (0..<users).first { Scene.user($0) == ended.user } ?? 0
            served[user] += tokens
        }
        return served
    }

    @Test("serves users equally: Jain's index is at least 0.95", arguments: 0..<20)
    func fairness(seed: UInt64) {
        var dice = Dice(seed)
        let users = Int.random(in: 2...20, using: &dice)
        let served = served(&dice, users: users).map(Double.init)
        let sum = served.reduce(0, +)
        let squares = served.reduce(0) { $0 + $1 * $1 }
        #expect(sum * sum / (Double(users) * squares) >= 0.95)
    }

    @Test("starves no user: a turn comes after a bounded number of tokens", arguments: 0..<20)
    func starvation(seed: UInt64) {
        var dice = Dice(seed)
        var queue = FairQueue()
        var position = 0
        for user in 1...9 {
            for _ in 0..<200 {
                let tokens = Int.random(in: 1...500, using: &dice)
                queue.push(Scene.answer(position, of: user, tokens: tokens))
                position += 1
            }
        }
        for _ in 0..<Int.random(in: 0...300, using: &dice) { _ = queue.next() }
        let tokens = Int.random(in: 1...4000, using: &dice)
        queue.push(Scene.answer(position, of: 10, tokens: tokens))
        var before = 0
        while let next = queue.next(), next.user != Scene.user(10) { before += next.tokens }
        // Each other user gets as much as the newcomer, plus at most one answer and one round.
        #expect(before <= 9 * (tokens + 500 + 2 * Int(FairQueue.quantum)))
    }
}
