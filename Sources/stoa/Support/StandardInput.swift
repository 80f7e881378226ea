// Reads standard input, bounded and blocking, for commands without an event loop.

import Glibc

enum StandardInput {
    /// The next available bytes; nil at the end.
    static func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
            if count > 0 { return Array(bytes[..<count]) }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    /// All remaining bytes.
    /// - Throws: `CommandFailure` if there are more than `limit` bytes; `what` names the input.
    static func readAll(limit: Int, what: String) throws(CommandFailure) -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = read() {
            all += bytes
            guard all.count <= limit else {
                throw CommandFailure(.dataError, "\(what) is longer than \(limit) bytes")
            }
        }
        return all
    }
}
