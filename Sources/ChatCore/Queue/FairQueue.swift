// Selects the next answer to start: deficit round robin by tokens, across teams and, inside each
// team, across users. Resumed answers come first, then interactive ones, then batch ones. A value:
// questions, starts and ends are its input, the next answer is its output.
// docs/decisions/0010-fair-queue.md explains the design.
//
// The limits of a user and of a team divide the slots while other users wait; they never leave a
// slot empty. So `next` first looks for a run within all limits, and only if there is none for one
// beyond them. A user who arrives later is within their own limits, and gets the next free slot.
//
// Classic deficit round robin gives each user a quantum of tokens per round and lets them spend
// what they have saved. Here each user has the sum of the tokens charged to them, and an entry's
// turn comes in the round in which that many quanta will have been given: the order is the same,
// without iterating over the rounds. A user with nothing that can start saves nothing.

public import ChatProtocol
import FoundationEssentials

/// The queued and running answers, and the order in which they start.
public struct FairQueue: Sendable {
    /// What one user or one team may have running at a time while other users wait.
    public struct Limits: Sendable, Hashable {
        /// Maximum runs of one user.
        public var runningPerUser: Int
        /// Maximum tokens of one user's runs beyond the first, including the first: several short
        /// ones may run at once, a long one runs alone.
        public var runningTokensPerUser: Int
        /// Maximum runs of one team.
        public var runningPerTeam: Int

        /// Creates limits; omitted ones are unlimited.
        public init(
            runningPerUser: Int = .max,
            runningTokensPerUser: Int = .max,
            runningPerTeam: Int = .max
        ) {
            self.runningPerUser = runningPerUser
            self.runningTokensPerUser = runningTokensPerUser
            self.runningPerTeam = runningPerTeam
        }
    }

    /// Tokens per round. Of answers whose turns come in the same round, the one that was requested
    /// first starts first.
    public static let quantum: Int64 = 32

    /// The limits that `next` applies.
    public var limits: Limits
    /// The queued answers.
    public private(set) var waiting: [MessageID: QueuedAnswer] = [:]
    /// The answers that run, here or on another node.
    public private(set) var running: [MessageID: QueuedAnswer] = [:]
    /// The queued answers of each line, which is mostly a conversation, in the order of the requests.
    private var lines: [UUID: [QueuedAnswer]] = [:]
    /// Number of running answers of each line.
    private var occupied: [UUID: Int] = [:]
    private var loads = RunningLoads()
    /// One for resumed answers, and one for each priority.
    private var shares = [FairShares](
        repeating: FairShares(),
        count: 1 + QueuePriority.allCases.count
    )

    /// Creates an empty queue.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    // MARK: Changes

    /// Adds a queued answer; a known one is not changed.
    public mutating func push(_ answer: QueuedAnswer) {
        guard waiting[answer.message] == nil, running[answer.message] == nil else { return }
        waiting[answer.message] = answer
        var line = lines[answer.line] ?? []
        let head = line.first
        line.insert(answer, inOrder: \.position)
        lines[answer.line] = line
        guard line.first == answer, occupied[answer.line] == nil else { return }
        if let head { shares[head.share].remove(head) }
        shares[answer.share].add(answer)
    }

    /// Removes a queued answer: it was stopped, or another node has it.
    public mutating func remove(_ message: MessageID) {
        guard let answer = waiting.removeValue(forKey: message) else { return }
        leaveLine(answer)
    }

    /// Notes that an answer started, and charges its user with the expected tokens.
    public mutating func start(_ message: MessageID) {
        guard let answer = waiting.removeValue(forKey: message) else { return }
        occupied[answer.line, default: 0] += 1
        leaveLine(answer)
        running[message] = answer
        shares[answer.share].begin(answer)
        loads.change(answer, by: 1)
    }

    /// Notes that an answer ended, and corrects its charge.
    /// - Parameters:
    ///   - message: the answer.
    ///   - tokens: the tokens that it used; nil if unknown.
    public mutating func finish(_ message: MessageID, tokens: Int?) {
        guard let answer = running.removeValue(forKey: message) else { return }
        if let tokens { shares[answer.share].settle(answer, by: tokens - answer.tokens) }
        loads.change(answer, by: -1)
        let left = (occupied[answer.line] ?? 1) - 1
        occupied[answer.line] = left == 0 ? nil : left
        if left == 0, let head = lines[answer.line]?.first {
            shares[head.share].add(head)
        }
    }

    /// Returns a started answer to the queue, of which nothing was generated.
    public mutating func putBack(_ message: MessageID) {
        guard let answer = running[message] else { return }
        finish(message, tokens: 0)
        push(answer)
    }

    /// The next answer to start, which is in `running` afterwards.
    ///
    /// An answer within all limits is preferred; then one whose team is beyond its limit; then any.
    /// So a slot stays empty only if nothing can start.
    /// - Parameter isAllowed: which answers can start at this moment; the others block no one.
    /// - Returns: the answer; nil if none can start.
    public mutating func next(
        where isAllowed: (QueuedAnswer) -> Bool = { _ in true }
    ) -> QueuedAnswer? {
        for limits in limits.stricterFirst {
            var isHeldBack = false
            for share in shares.indices {
                let choice = shares[share].choice(
                    team: { loads.team($0, hasRoomWithin: limits, &isHeldBack) },
                    answer: isAllowed,
                    fits: { loads.user(of: $0, hasRoomWithin: limits, &isHeldBack) }
                )
                if let choice {
                    start(choice.message)
                    return choice
                }
            }
            // If no limit held an answer back, none is beyond the limits.
            guard isHeldBack else { return nil }
        }
        return nil
    }

    /// The order in which queued answers would start if no other arrived and nothing delayed them.
    public var order: [QueuedAnswer] {
        let byShare = Dictionary(grouping: waiting.values, by: \.share)
        return shares.indices.flatMap { shares[$0].order(of: byShare[$0] ?? []) }
    }

    // MARK: Parts

    /// Removes an answer from its conversation's queue; the next one there becomes ready if
    /// possible.
    private mutating func leaveLine(_ answer: QueuedAnswer) {
        guard var line = lines[answer.line] else { return }
        let head = line.first
        line.removeAll { $0.message == answer.message }
        lines[answer.line] = line.isEmpty ? nil : line
        if let head, head == answer || occupied[answer.line] != nil {
            shares[head.share].remove(head)
        }
        if occupied[answer.line] == nil, head == answer, let next = line.first {
            shares[next.share].add(next)
        }
    }
}

extension QueuedAnswer {
    /// The index of the shares that it is charged to.
    var share: Int { hasBegun ? 0 : 1 + Int(priority.rawValue) }
}

extension Array {
    /// Inserts an element into an array that is sorted by `key`.
    mutating func insert<Key: Comparable>(_ element: Element, inOrder key: (Element) -> Key) {
        let wanted = key(element)
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if key(self[middle]) < wanted { low = middle + 1 } else { high = middle }
        }
        insert(element, at: low)
    }
}
