// Everything here waits for another process, and each wait has an end.

import Glibc

extension Duration {
    /// How long is waited for what has to come. Nothing is measured by it: it is long enough for a machine
    /// that is busy with other things, where a password takes ten times as long as on an idle one.
    static let patience = Duration.seconds(60)
}

/// A moment until which something is waited for.
struct Deadline {
    private let end: ContinuousClock.Instant

    /// `duration` from now.
    init(_ duration: Duration) { end = .now + duration }

    /// Whether it has come.
    var isOver: Bool { .now >= end }

    /// What is left, in milliseconds, as poll(2) takes it.
    var milliseconds: Int32 {
        Int32(clamping: Int64(max(.zero, end - .now) / .milliseconds(1)) + 1)
    }
}

/// Something did not happen in time, or happened otherwise than it has to.
struct HarnessError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Waits until `condition` holds. For what other processes do without telling: `/readyz` turning, a file
/// appearing. What comes through a socket or pipe is waited for there.
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

/// The shortest of up to three delays; one below `limit` is enough. A machine stalls now and then, while what
/// takes too long by its making does so each time.
/// - Parameters:
///   - limit: how long it may take.
///   - measure: measures once; it is told how often that was done before.
/// - Returns: the shortest.
func shortestDelay(
    below limit: Duration,
    _ measure: (Int) throws -> Duration
) rethrows -> Duration {
    var shortest = try measure(0)
    for count in 1..<3 where shortest >= limit { shortest = try min(shortest, measure(count)) }
    return shortest
}

/// Lets a moment pass before one looks again.
func pauseBriefly() { poll(nil, 0, 20) }

/// Waits until `descriptor` can be read, or its other end is closed.
func waitUntilReadable(_ descriptor: Int32, _ deadline: Deadline, _ what: String) throws {
    try wait(descriptor, Int16(POLLIN), deadline, what)
}

/// Waits until `descriptor` can be written to, or its other end is closed.
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
