// Simulates the slots: each one that becomes free starts the first queued answer that may start.

import ChatProtocol
import FoundationEssentials

/// An answer's queue position.
public struct QueuePosition: Sendable, Hashable {
    /// The answer.
    public let answer: QueuedAnswer
    /// How many runs start before it, including itself: 1 for the next to start.
    public let number: Int
    /// Estimated seconds until it starts; nil if unknown.
    public let seconds: Double?
    /// The simulated seconds, without the correction learned from earlier estimates.
    public let simulatedSeconds: Double?
    /// Whether another queued or running answer of the same user is before it.
    public let isBehindOwn: Bool
}

extension StartEstimate {
    /// A running answer, and the seconds until its slot is free.
    public struct Occupied: Sendable {
        /// The answer.
        public var answer: QueuedAnswer
        /// Seconds until its slot is free.
        public var seconds: Double

        /// Creates a slot's state.
        public init(answer: QueuedAnswer, seconds: Double) {
            self.answer = answer
            self.seconds = seconds
        }
    }

    /// Maximum simulated starts; later ones are extrapolated.
    private static let startCountMax = 400

    /// The queue positions of all queued answers, in the order in which they will start.
    /// - Parameters:
    ///   - queue: the queued answers, and the limits.
    ///   - occupied: the occupied slots.
    ///   - slots: the number of slots.
    ///   - isAllowed: which answers can start at all; the others have no estimate.
    /// - Returns: the position of each answer.
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
        // Beyond the simulated starts, the queue is assumed to continue at the same pace.
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

/// The running and queued answers at a simulated time.
private struct SlotFuture {
    private var now = 0.0
    private let limits: FairQueue.Limits
    private var waiting: [QueuedAnswer]
    private var hasBegun: [Bool]
    /// Answers before this index have started.
    private var first = 0
    /// The running answers, the one that ends last first.
    private var running: [(end: Double, answer: QueuedAnswer)] = []
    private var loads = RunningLoads()
    private var lines: Set<UUID> = []

    init(limits: FairQueue.Limits, order: [QueuedAnswer]) {
        self.limits = limits
        waiting = order
        hasBegun = Array(repeating: false, count: order.count)
    }

    var runningCount: Int { running.count }

    mutating func occupy(_ answer: QueuedAnswer, until end: Double) {
        running.insert((end, answer), inOrder: { -$0.end })
        lines.insert(answer.line)
        loads.change(answer, by: 1)
    }

    /// Starts the first answer that may start: within the limits, or else beyond them, as in
    /// `FairQueue.next`.
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
            !hasBegun[index] && !lines.contains(waiting[index].line)
                && loads.allow(waiting[index], within: limits)
        }
    }

    /// Advances to the next end of an answer.
    /// - Returns: whether there was one.
    mutating func endFirst() -> Bool {
        guard let ended = running.popLast() else { return false }
        now = max(now, ended.end)
        lines.remove(ended.answer.line)
        loads.change(ended.answer, by: -1)
        return true
    }
}
