// What a run counts, and what it finds wrong.

import Glibc

/// Counters by name, in the order in which they are printed, and violations of what must hold.
final class Tally {
    private(set) var counts: [(name: String, value: Int)] = []
    private(set) var violations: [String] = []
    private(set) var violationCount = 0
    /// Sends that the server has acknowledged.
    private(set) var acks = 0
    /// The longest that a lease was over, in a living installation, before somebody took the answer.
    var longestOverdue = Duration.zero
    /// The longest that a client waited for the acknowledgement of a send, repeats included.
    var longestAck = Duration.zero

    /// Whether violations are printed when they are found.
    var isVerbose = false

    static let violationsKept = 40

    func count(_ name: String, _ amount: Int = 1) {
        if let place = counts.firstIndex(where: { $0.name == name }) {
            counts[place].value += amount
        } else {
            counts.append((name, amount))
        }
    }

    func acknowledged(after duration: Duration) {
        acks += 1
        longestAck = max(longestAck, duration)
    }

    /// Something that must not be.
    func violation(_ words: String) {
        violationCount += 1
        if isVerbose, violationCount <= Self.violationsKept {
            print("violation: \(words)")
            fflush(nil)
        }
        if violations.count < Self.violationsKept { violations.append(words) }
    }
}
