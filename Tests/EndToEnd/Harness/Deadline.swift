// Every wait for another process has a deadline.

import Glibc

extension Duration {
    /// The maximum wait for something that must happen. It is not used for measurements: it is long
    /// enough for a busy machine, on which hashing a password takes ten times as long as on an idle
    /// one.
    static let patience = Duration.seconds(60)
}

/// A time limit.
struct Deadline {
    private let end: ContinuousClock.Instant

    /// `duration` from now.
    init(_ duration: Duration) { end = .now + duration }

    /// Whether it has come.
    var isOver: Bool { .now >= end }

    /// The time left, in milliseconds, for poll(2).
    var milliseconds: Int32 {
        Int32(clamping: Int64(max(.zero, end - .now) / .milliseconds(1)) + 1)
    }
}

/// Something did not happen in time, or happened differently than it must.
struct HarnessError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Polls until `condition` holds. For changes of other processes without a notification: `/readyz`
/// changes, a file appears. Data on a socket or pipe is waited for there.
func eventually(
    _ what: String,
    within duration: Duration = .patience,
    _ condition: () throws -> Bool
) throws {
    let deadline = Deadline(duration)
    while try !condition() {
        guard !deadline.isOver else { throw HarnessError("\(what): not within \(duration)") }
        pauseBriefly()
    }
}

/// The shortest of up to three delays; one below `limit` is enough. A machine stalls now and then,
/// but code that is too slow is slow each time.
/// - Parameters:
///   - limit: maximum delay.
///   - measure: measures once; its argument is the number of earlier measurements.
/// - Returns: the shortest delay.
func shortestDelay(
    below limit: Duration,
    _ measure: (Int) throws -> Duration
) rethrows -> Duration {
    var shortest = try measure(0)
    for count in 1..<3 where shortest >= limit { shortest = try min(shortest, measure(count)) }
    return shortest
}

/// A short pause before polling again.
func pauseBriefly() { poll(nil, 0, 20) }

/// Waits until `descriptor` can be read, or its peer has closed.
func waitUntilReadable(_ descriptor: Int32, _ deadline: Deadline, _ what: String) throws {
    try wait(descriptor, Int16(POLLIN), deadline, what)
}

/// Waits until `descriptor` can be written to, or its peer has closed.
func waitUntilWritable(_ descriptor: Int32, _ deadline: Deadline, _ what: String) throws {
    try wait(descriptor, Int16(POLLOUT), deadline, what)
}

private func wait(
    _ descriptor: Int32,
    _ events: Int16,
    _ deadline: Deadline,
    _ what: String
) throws {
    while true {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        let count = poll(&entry, 1, deadline.milliseconds)
        if count > 0 { return }
        if count < 0, errno != EINTR { throw HarnessError("poll: errno \(errno)") }
        if deadline.isOver { throw HarnessError("\(what): nothing in time") }
    }
}
