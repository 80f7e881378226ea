// A log that remembers.

import Synchronization

/// What was written to the log.
final class LogLines: Sendable {
    private let written = Mutex<[String]>([])

    var lines: [String] { written.withLock { $0 } }

    func write(_ line: String) { written.withLock { $0.append(line) } }
}
