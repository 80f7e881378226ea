// The slots' future: each that becomes free takes the first of those that wait and may begin.

import ChatProtocol

/// Where an answer stands in the queue.
public struct QueuePosition: Sendable, Hashable {
    /// Which answer.
    public let answer: QueuedAnswer
    /// How many runs begin before it, itself included: 1 for the next to begin.
    public let number: Int
    /// Seconds until it begins; nil where that cannot be told.
    public let seconds: Double?
    /// The same before what was learned of simulations was applied.
    public let simulatedSeconds: Double?
    /// Whether it stands behind another of its asker's.
    public let isBehindOwn: Bool
}

extension StartEstimate {
    /// An answer in the making, and the seconds until its slot is free.
    public struct Occupied: Sendable {
        /// Which answer.
        public var answer: QueuedAnswer
        /// Seconds until its slot is free.
        public var seconds: Double

        /// Puts a slot's state together.
        public init(answer: QueuedAnswer, seconds: Double) {
            self.answer = answer
            self.seconds = seconds
        }
    }

    /// How many starts are simulated; those beyond are extrapolated.
    private static let startCountMax = 400

    /// The queue positions of all that waits, in the order in which they will begin.
    /// - Parameters:
    ///   - queue: what waits, and its limits.
    ///   - occupied: the slots in use.
    ///   - slots: how many there are.
    ///   - isAllowed: what can begin at all; of the rest nobody can say when.
    /// - Returns: a position for each.
    public func positions(
        in queue: FairQueue,
        occupied: [Occupied],
        slots: Int,
        where isAllowed: (QueuedAnswer) -> Bool
    ) -> [QueuePosition] {
        let order = queue.order
        guard isKnown else {
            return positions(order.map { (answer: $0, seconds: nil) })
        }
        var future = SlotFuture(limits: queue.limits, order: order.filter(isAllowed))
        for slot in occupied { future.occupy(slot.answer, until: max(0, slot.seconds)) }
        var starts: [(answer: QueuedAnswer, seconds: Double)] = []
        while starts.count < Self.startCountMax {
            if future.runningCount < slots, let next = future.begin(estimate: self) {
                starts.append(next)
            } else if !future.endFirst() {
                break
            }
        }
        return numbered(starts, of: order, isAllowed)
    }

    private func numbered(
        _ starts: [(answer: QueuedAnswer, seconds: Double)],
        of order: [QueuedAnswer],
        _ isAllowed: (QueuedAnswer) -> Bool
    ) -> [QueuePosition] {
        var all: [(answer: QueuedAnswer, seconds: Double?)] = starts.map {
            ($0.answer, $0.seconds)
        }
        guard all.count < order.count else { return positions(all) }
        let simulated = Set(starts.map(\.answer.message))
        let last = starts.last?.seconds ?? 0
        // Where the simulation was cut off, the queue goes on at the pace that it had.
        let pace = starts.count == Self.startCountMax ? last / Double(starts.count) : nil
        for answer in order where !simulated.contains(answer.message) {
            let seconds = isAllowed(answer) ? pace.map { $0 * Double(all.count + 1) } : nil
            all.append((answer, seconds))
        }
        return positions(all)
    }

    private func positions(_ order: [(answer: QueuedAnswer, seconds: Double?)]) -> [QueuePosition] {
        var askers: Set<UserID> = []
        return order.enumerated().map { index, entry in
            let isBehindOwn = !askers.insert(entry.answer.user).inserted
            return QueuePosition(
                answer: entry.answer,
                number: index + 1,
                seconds: entry.seconds.map { stretched($0, isBehindOwn: isBehindOwn) },
                simulatedSeconds: entry.seconds,
                isBehindOwn: isBehindOwn
            )
        }
    }
}

/// What runs at a moment of the future, and what waits then.
private struct SlotFuture {
    private var now = 0.0
    private let limits: FairQueue.Limits
    private var waiting: [QueuedAnswer]
    private var hasBegun: [Bool]
    /// Before this one nothing waits any more.
    private var first = 0
    /// Those in the making, the one that ends last in front.
    private var running: [(end: Double, answer: QueuedAnswer)] = []
    private var loads = RunningLoads()
    private var conversations: Set<ConversationID> = []

    init(limits: FairQueue.Limits, order: [QueuedAnswer]) {
        self.limits = limits
        waiting = order
        hasBegun = Array(repeating: false, count: order.count)
    }

    var runningCount: Int { running.count }

    mutating func occupy(_ answer: QueuedAnswer, until end: Double) {
        running.insert((end, answer), inOrder: { -$0.end })
        conversations.insert(answer.conversation)
        loads.change(answer, by: 1)
    }

    /// Begins the first that may: within the limits, else beyond them, as `FairQueue.next` does.
    mutating func begin(estimate: StartEstimate) -> (answer: QueuedAnswer, seconds: Double)? {
        while first < waiting.count, hasBegun[first] { first += 1 }
        for limits in limits.stricterFirst {
            guard let index = firstIndex(within: limits) else { continue }
            let answer = waiting[index]
            hasBegun[index] = true
            let start = now + estimate.turnaroundSeconds
            let duration = estimate.duration(
                promptTokens: answer.promptTokens,
                answerTokens: answer.answerTokens
            )
            occupy(answer, until: start + duration)
            return (answer, start)
        }
        return nil
    }

    private func firstIndex(within limits: FairQueue.Limits) -> Int? {
        (first..<waiting.count).first { index in
            !hasBegun[index] && !conversations.contains(waiting[index].conversation)
                && loads.allow(waiting[index], within: limits)
        }
    }

    /// Goes on to the end of the next that ends.
    /// - Returns: whether there was one.
    mutating func endFirst() -> Bool {
        guard let ended = running.popLast() else { return false }
        now = max(now, ended.end)
        conversations.remove(ended.answer.conversation)
        loads.change(ended.answer, by: -1)
        return true
    }
}
