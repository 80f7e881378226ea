// When an answer that waits will begin: what was learned from the answers before it, and a simulation of
// the slots. A value without a clock: what was measured goes in, seconds come out.

public import ChatProtocol

import func Glibc.exp
import func Glibc.log

/// What was learned of how long answers take.
public struct StartEstimate: Sendable {
    /// A sum of one thing by the sum of another, in which what is long ago counts less.
    private struct Ratio: Sendable {
        var above = 0.0
        var below = 0.0

        mutating func add(_ above: Double, per below: Double) {
            guard above >= 0, below > 0 else { return }
            self.above = self.above * StartEstimate.memory + above
            self.below = self.below * StartEstimate.memory + below
        }

        var value: Double? { below > 0 ? above / below : nil }
    }

    /// How long answers are, and how far they are from that.
    private struct Lengths: Sendable {
        var mean = 0.0
        var deviation = 0.0
        var count = 0

        mutating func add(_ length: Double) {
            count += 1
            let share = max(1 / Double(count), 0.1)
            deviation += (abs(length - mean) - deviation) * (count == 1 ? 0 : share)
            mean += (length - mean) * share
        }
    }

    /// What an answer took, as its engine told it.
    public struct Measured: Sendable {
        /// Tokens of the prompt that were expected when it was asked.
        public var expectedPromptTokens: Int
        /// Tokens of the prompt that were read.
        public var promptTokens: Int
        /// Tokens of the answer.
        public var answerTokens: Int
        /// Seconds from its begin to its first token; nil where it never had one.
        public var readSeconds: Double?
        /// Seconds from its first token to its last.
        public var writeSeconds: Double

        /// Puts figures together.
        public init(
            expectedPromptTokens: Int,
            promptTokens: Int,
            answerTokens: Int,
            readSeconds: Double?,
            writeSeconds: Double
        ) {
            self.expectedPromptTokens = expectedPromptTokens
            self.promptTokens = promptTokens
            self.answerTokens = answerTokens
            self.readSeconds = readSeconds
            self.writeSeconds = writeSeconds
        }
    }

    /// How much of what was known still counts after one more answer.
    private static let memory = 0.95
    /// Users whose own lengths are known.
    private static let userCountMax = 10_000
    /// How many answers of a user weigh as much as what is known of everybody.
    private static let priorWeight = 2.0

    private var readSecondsPerToken = Ratio()
    private var writeSecondsPerToken = Ratio()
    private var promptTokensPerExpected = Ratio()
    private var turnaround = Ratio()
    private var everybody = Lengths()
    /// The logarithm of how much longer it took than was simulated, by whether the answer stood behind
    /// others of its asker's: what comes later, and may go first, nobody can simulate.
    private var stretch: [Bool: Double] = [:]
    private var users: [UserID: Lengths] = [:]

    /// Knows nothing yet.
    public init() {}

    /// Whether enough was seen to say anything.
    public var isKnown: Bool { readSecondsPerToken.value != nil && everybody.count > 0 }

    // MARK: Learning

    /// Takes what an answer took.
    public mutating func learn(_ measured: Measured, of user: UserID) {
        if let seconds = measured.readSeconds {
            readSecondsPerToken.add(seconds, per: Double(max(1, measured.promptTokens)))
        }
        promptTokensPerExpected.add(
            Double(measured.promptTokens),
            per: Double(measured.expectedPromptTokens)
        )
        guard measured.answerTokens > 0 else { return }
        writeSecondsPerToken.add(measured.writeSeconds, per: Double(measured.answerTokens))
        everybody.add(Double(measured.answerTokens))
        if users[user] == nil, users.count >= Self.userCountMax, let any = users.keys.first {
            users[any] = nil
        }
        users[user, default: Lengths()].add(Double(measured.answerTokens))
    }

    /// Takes how long it took from a free slot to an engine at work, in seconds.
    public mutating func learn(turnaround seconds: Double) {
        turnaround.add(seconds, per: 1)
    }

    /// Takes how long an answer waited, of which so many seconds had been simulated when it was
    /// first told.
    /// - Parameters:
    ///   - simulated: as the simulation said, in seconds.
    ///   - came: as it was, in seconds.
    ///   - isBehindOwn: whether the answer stood behind others of its asker's.
    public mutating func learn(simulated: Double, came: Double, isBehindOwn: Bool) {
        guard simulated > 0, came > 0 else { return }
        let ratio = log(min(max(came / simulated, 0.2), 5))
        stretch[isBehindOwn] = (stretch[isBehindOwn] ?? 0) * 0.95 + ratio * 0.05
    }

    // MARK: Expecting

    /// The seconds that are told where so many were simulated.
    func stretched(_ seconds: Double, isBehindOwn: Bool) -> Double {
        seconds * exp(stretch[isBehindOwn] ?? 0)
    }

    /// How many tokens a prompt will have, where so many were guessed from its text.
    public func promptTokens(guess: Int) -> Int {
        max(1, Int(Double(guess) * (promptTokensPerExpected.value ?? 1)))
    }

    /// How long an answer to `user` will be, in tokens.
    /// - Parameters:
    ///   - user: who asks.
    ///   - limit: the longest that is allowed.
    /// - Returns: at least one; where nothing is known, a quarter of what is allowed.
    public func answerTokens(for user: UserID, atMost limit: Int) -> Int {
        guard everybody.count > 0 else { return max(1, limit / 4) }
        return max(1, min(limit, Int(length(for: user).mean.rounded())))
    }

    private func length(for user: UserID) -> (mean: Double, deviation: Double) {
        let own = users[user] ?? Lengths()
        let count = min(Double(own.count), 10)
        let whole = count + Self.priorWeight
        return (
            (own.mean * count + everybody.mean * Self.priorWeight) / whole,
            (own.deviation * count + everybody.deviation * Self.priorWeight) / whole
        )
    }

    /// Seconds that an answer takes from its begin to its end.
    public func duration(promptTokens: Int, answerTokens: Int) -> Double {
        Double(promptTokens) * (readSecondsPerToken.value ?? 0)
            + Double(answerTokens) * (writeSecondsPerToken.value ?? 0)
    }

    /// Seconds that an answer in the making still takes.
    /// - Parameters:
    ///   - user: who asked.
    ///   - limit: the longest answer that is allowed, in tokens.
    ///   - unread: tokens of the prompt that are still to be read.
    ///   - written: tokens of the answer that are there.
    /// - Returns: the seconds, 0 where it must be done.
    public func remaining(user: UserID, atMost limit: Int, unread: Int, written: Int) -> Double {
        let (mean, deviation) = length(for: user)
        // One that is longer than was expected is nearly done more often than not.
        let left = max(mean - Double(written), min(max(deviation, mean * 0.1), mean))
        return duration(promptTokens: unread, answerTokens: 0)
            + min(left, Double(max(0, limit - written))) * (writeSecondsPerToken.value ?? 0)
    }

    /// Seconds from a free slot to an engine at work.
    var turnaroundSeconds: Double { turnaround.value ?? 0 }
}
