// What a run counts, and what it finds wrong.

import Glibc

/// Counters by name, in the order in which they are printed, and breaches of what must hold.
final class Tally {
    private(set) var counts: [(name: String, value: Int)] = []
    private(set) var breaches: [String] = []
    private(set) var breachCount = 0
    /// Sends that the server has acknowledged.
    private(set) var acks = 0
    /// The longest that a lease was over, in a living installation, before somebody took the answer.
    var longestOverdue = Duration.zero
    /// The longest that a client waited for the acknowledgement of a send, repeats included.
    var longestAck = Duration.zero

    /// Whether breaches are printed when they are found.
    var isVerbose = false

    static let breachesKept = 40

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
    func breach(_ words: String) {
        breachCount += 1
        if isVerbose, breachCount <= Self.breachesKept {
            print("breach: \(words)")
            fflush(nil)
        }
        if breaches.count < Self.breachesKept { breaches.append(words) }
    }
}
