// Whose answer is next: deficit round robin by tokens, across teams and inside each across users, with
// what somebody waits for before what may take its time, and before both what had begun already. A value:
// what is asked, begun and ended goes in, whose turn it is comes out. docs/decisions/0010-fair-queue.md
// says why it is so.
//
// The limits of a user and of a team share slots out while somebody else waits for one; they never leave a
// slot empty. So `next` looks for a run within all limits first, and only where there is none for one
// beyond them: whoever comes later is within their own limits, and takes the next slot that becomes free.
//
// Classic deficit round robin gives each user a quantum of tokens a round and lets them spend what they
// have saved. Here each user has the sum of tokens that they were charged with, and an entry's turn
// comes in the round in which so many quanta will have been given: the same order, found without going
// through the rounds. Who has nothing that can begin saves nothing.

public import ChatProtocol
import FoundationEssentials

/// The answers that wait and those being made, and the order in which they begin.
public struct FairQueue: Sendable {
    /// What one user, or one team, may have running at a time while somebody else waits.
    public struct Limits: Sendable, Hashable {
        /// Runs of one user.
        public var runningPerUser: Int
        /// Tokens of one user's runs beyond the first, that one included: several short ones may run
        /// at once, a long one runs alone.
        public var runningTokensPerUser: Int
        /// Runs of one team.
        public var runningPerTeam: Int

        /// Puts limits together; what is not given is not limited.
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

    /// Tokens that a round gives to each. Of answers whose turns come in the same round, the one that
    /// was asked first goes first.
    public static let quantum: Int64 = 32

    /// The bounds that `next` keeps.
    public var limits: Limits
    /// What waits.
    public private(set) var waiting: [MessageID: QueuedAnswer] = [:]
    /// What is being made, here or on another node.
    public private(set) var running: [MessageID: QueuedAnswer] = [:]
    /// What waits in each conversation, in the order of asking.
    private var lines: [ConversationID: [QueuedAnswer]] = [:]
    /// Conversations in which an answer is being made.
    private var occupied: [ConversationID: Int] = [:]
    private var loads = RunningLoads()
    /// One for what had begun, and one for each priority.
    private var shares = [FairShares](
        repeating: FairShares(),
        count: 1 + QueuePriority.allCases.count
    )

    /// An empty queue.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    // MARK: What comes and goes

    /// Takes an answer that waits; one that is known already stays as it is.
    public mutating func push(_ answer: QueuedAnswer) {
        guard waiting[answer.message] == nil, running[answer.message] == nil else { return }
        waiting[answer.message] = answer
        var line = lines[answer.conversation] ?? []
        let head = line.first
        line.insert(answer, inOrder: \.position)
        lines[answer.conversation] = line
        guard line.first == answer, occupied[answer.conversation] == nil else { return }
        if let head { shares[head.share].remove(head) }
        shares[answer.share].add(answer)
    }

    /// Forgets an answer that waits: it was stopped, or another node has it.
    public mutating func remove(_ message: MessageID) {
        guard let answer = waiting.removeValue(forKey: message) else { return }
        leaveLine(answer)
    }

    /// Notes that an answer is being made, and charges its asker with what it is expected to take.
    public mutating func start(_ message: MessageID) {
        guard let answer = waiting.removeValue(forKey: message) else { return }
        occupied[answer.conversation, default: 0] += 1
        leaveLine(answer)
        running[message] = answer
        shares[answer.share].begin(answer)
        loads.change(answer, by: 1)
    }

    /// Notes that an answer is made, and settles its charge.
    /// - Parameters:
    ///   - message: which.
    ///   - tokens: what it took in the end; nil where that is not known.
    public mutating func finish(_ message: MessageID, tokens: Int?) {
        guard let answer = running.removeValue(forKey: message) else { return }
        if let tokens { shares[answer.share].settle(answer, by: tokens - answer.tokens) }
        loads.change(answer, by: -1)
        let left = (occupied[answer.conversation] ?? 1) - 1
        occupied[answer.conversation] = left == 0 ? nil : left
        if left == 0, let head = lines[answer.conversation]?.first {
            shares[head.share].add(head)
        }
    }

    /// Notes that an answer whose making was begun waits again: nothing was made of it.
    public mutating func putBack(_ message: MessageID) {
        guard let answer = running[message] else { return }
        finish(message, tokens: 0)
        push(answer)
    }

    /// Whose turn it is, taken as begun: the answer is in `running` then.
    ///
    /// Of those within the limits the one whose turn it is; where there is none, of those whose team
    /// is beyond its limit; where there is none either, of all. So a slot stays empty only if nothing
    /// can begin.
    /// - Parameter isAllowed: what can begin at all at this moment; the rest blocks nobody.
    /// - Returns: the answer; nil where nothing can begin.
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
            // Without a limit that held one back, there is nothing to find beyond it.
            guard isHeldBack else { return nil }
        }
        return nil
    }

    /// The order in which what waits would begin if nothing else came and nothing held it up.
    public var order: [QueuedAnswer] {
        let byShare = Dictionary(grouping: waiting.values, by: \.share)
        return shares.indices.flatMap { shares[$0].order(of: byShare[$0] ?? []) }
    }

    // MARK: Parts

    /// Takes an answer out of its conversation's line; the next there comes forward where it may.
    private mutating func leaveLine(_ answer: QueuedAnswer) {
        guard var line = lines[answer.conversation] else { return }
        let head = line.first
        line.removeAll { $0.message == answer.message }
        lines[answer.conversation] = line.isEmpty ? nil : line
        if let head, head == answer || occupied[answer.conversation] != nil {
            shares[head.share].remove(head)
        }
        if occupied[answer.conversation] == nil, head == answer, let next = line.first {
            shares[next.share].add(next)
        }
    }
}

extension QueuedAnswer {
    /// The index of the shares that it is charged to.
    var share: Int { hasBegun ? 0 : 1 + Int(priority.rawValue) }
}

extension Array {
    /// Inserts an element where it belongs in an array sorted by `key`.
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
