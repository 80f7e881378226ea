// Estimates when a queued answer will start, from measurements of earlier answers and a simulation
// of the slots. A value without a clock: measurements are its input, seconds its output.

public import ChatProtocol

import func Glibc.exp
import func Glibc.log

/// Statistics on how long answers take.
public struct StartEstimate: Sendable {
    /// The ratio of two sums, in which older values count less.
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

    /// The mean length of answers, and the mean deviation from it.
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

    /// An answer's tokens and durations, as its engine reported them.
    public struct Measured: Sendable {
        /// Tokens of the prompt that were expected when it was requested.
        public var expectedPromptTokens: Int
        /// Tokens of the prompt that were read.
        public var promptTokens: Int
        /// Tokens of the answer.
        public var answerTokens: Int
        /// Seconds from its start to its first token; nil if it never had one.
        public var readSeconds: Double?
        /// Seconds from its first token to its last.
        public var writeSeconds: Double

        /// Creates a measurement.
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

    /// The weight of all earlier answers after one more.
    private static let memory = 0.95
    /// Maximum users with separate statistics.
    private static let userCountMax = 10_000
    /// The weight of the statistics of all users in a user's mean, in answers.
    private static let priorWeight = 2.0

    private var readSecondsPerToken = Ratio()
    private var writeSecondsPerToken = Ratio()
    private var promptTokensPerExpected = Ratio()
    private var turnaround = Ratio()
    private var everybody = Lengths()
    /// The logarithm of the real wait divided by the simulated one, by whether the answer was
    /// behind others of the same user. It corrects for later arrivals that start first, which
    /// cannot be simulated.
    private var stretch: [Bool: Double] = [:]
    private var users: [UserID: Lengths] = [:]

    /// Creates empty statistics.
    public init() {}

    /// Whether there are enough measurements for an estimate.
    public var isKnown: Bool { readSecondsPerToken.value != nil && everybody.count > 0 }

    // MARK: Learning

    /// Adds a measurement of an answer.
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

    /// Adds a measurement of the seconds from a free slot until an engine works in it.
    public mutating func learn(turnaround seconds: Double) {
        turnaround.add(seconds, per: 1)
    }

    /// Adds a measurement of an answer's wait, to correct later estimates.
    /// - Parameters:
    ///   - simulated: the first simulated wait, in seconds.
    ///   - came: the real wait, in seconds.
    ///   - isBehindOwn: whether the answer was behind others of the same user.
    public mutating func learn(simulated: Double, came: Double, isBehindOwn: Bool) {
        guard simulated > 0, came > 0 else { return }
        let ratio = log(min(max(came / simulated, 0.2), 5))
        stretch[isBehindOwn] = (stretch[isBehindOwn] ?? 0) * 0.95 + ratio * 0.05
    }

    // MARK: Estimating

    /// The estimate for a simulated wait, in seconds.
    func stretched(_ seconds: Double, isBehindOwn: Bool) -> Double {
        seconds * exp(stretch[isBehindOwn] ?? 0)
    }

    /// The expected tokens of a prompt, from a guess by the length of its text.
    public func promptTokens(guess: Int) -> Int {
        max(1, Int(Double(guess) * (promptTokensPerExpected.value ?? 1)))
    }

    /// The expected length of an answer to `user`, in tokens.
    /// - Parameters:
    ///   - user: the user who requests it.
    ///   - limit: the maximum length.
    /// - Returns: at least one; a quarter of the limit if nothing is known.
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

    /// The expected seconds from an answer's start to its end.
    public func duration(promptTokens: Int, answerTokens: Int) -> Double {
        Double(promptTokens) * (readSecondsPerToken.value ?? 0)
            + Double(answerTokens) * (writeSecondsPerToken.value ?? 0)
    }

    /// The expected seconds until a running answer ends.
    /// - Parameters:
    ///   - user: the user who requested it.
    ///   - limit: the maximum length of the answer, in tokens.
    ///   - unread: prompt tokens that are not yet read.
    ///   - written: tokens of the answer so far.
    /// - Returns: the seconds; 0 if it must have ended.
    public func remaining(user: UserID, atMost limit: Int, unread: Int, written: Int) -> Double {
        let (mean, deviation) = length(for: user)
        // An answer longer than expected is more often than not near its end.
        let left = max(mean - Double(written), min(max(deviation, mean * 0.1), mean))
        return duration(promptTokens: unread, answerTokens: 0)
            + min(left, Double(max(0, limit - written))) * (writeSecondsPerToken.value ?? 0)
    }

    /// Seconds from a free slot until an engine works in it.
    var turnaroundSeconds: Double { turnaround.value ?? 0 }
}
