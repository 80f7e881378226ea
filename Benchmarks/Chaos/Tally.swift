// The counters and violations of a run.

import Glibc

/// Counters by name, in the order of the output, and violations of invariants.
final class Tally {
    private(set) var counts: [(name: String, value: Int)] = []
    private(set) var violations: [String] = []
    private(set) var violationCount = 0
    /// Sends that the server has acknowledged.
    private(set) var acks = 0
    /// The longest time between a lease's expiry and its takeover, while a server was alive.
    var longestOverdue = Duration.zero
    var longestWithoutOwner = Duration.zero
    /// The longest time until a send was acknowledged, repeats included.
    var longestAck = Duration.zero

    /// The longest time from a batch of sends to the ends of their answers at all readers.
    var longestEnd = Duration.zero

    /// When the last send was acknowledged.
    private var lastAck: ContinuousClock.Instant?
    /// The longest time without an acknowledged send since the last failover began.
    private var longestGap = Duration.zero
    /// The longest such time of each kind of failover, and their number.
    private(set) var failovers: [String: (count: Int, longest: Duration)] = [:]

    /// Whether violations are printed at once.
    var isVerbose = false

    static let violationsKept = 40

    func count(_ name: String, _ amount: Int = 1) {
        if let place = counts.firstIndex(where: { $0.name == name }) {
            counts[place].value += amount
        } else {
            counts.append((name, amount))
        }
    }

    func acknowledged(after duration: Duration, at now: ContinuousClock.Instant) {
        acks += 1
        if let lastAck { longestGap = max(longestGap, now - lastAck) }
        lastAck = now
        longestAck = max(longestAck, duration)
    }

    func beginFailover() { longestGap = .zero }

    /// Records how long no send was acknowledged since `beginFailover`.
    func endFailover(_ kind: String, _ seen: String, at now: ContinuousClock.Instant) {
        if let lastAck { longestGap = max(longestGap, now - lastAck) }
        let before = failovers[kind] ?? (0, .zero)
        failovers[kind] = (before.count + 1, max(before.longest, longestGap))
        if isVerbose {
            print("\(seen) without an acknowledgement \(Int(longestGap / .milliseconds(1))) ms")
            fflush(nil)
        }
    }

    /// Records a violation.
    func violation(_ text: String) {
        violationCount += 1
        if isVerbose, violationCount <= Self.violationsKept {
            print("violation: \(text)")
            fflush(nil)
        }
        if violations.count < Self.violationsKept { violations.append(text) }
    }
}
