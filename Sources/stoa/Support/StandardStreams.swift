// Writes to standard output and standard error without buffering, so that a script gets each line at
// once.

import Glibc

enum StandardStreams {
    /// Writes a line to standard output.
    static func print(_ line: String) { write("\(line)\n", to: STDOUT_FILENO) }

    /// Writes a line to standard error.
    static func printError(_ line: String) { write("\(line)\n", to: STDERR_FILENO) }

    /// Writes an error message to standard error, with control sequences in paths and names
    /// removed.
    static func printFailure(_ message: String) {
        printError("stoa: \(TerminalSanitizer.clean(message))")
    }

    /// Writes a text to standard output, without adding a line feed.
    static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Writes bytes to standard output.
    static func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// Writes a text to standard error, without adding a line feed.
    static func writeError(_ text: String) { write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        write(Array(text.utf8), to: descriptor)
    }

    private static func write(_ all: [UInt8], to descriptor: Int32) {
        var bytes = all[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // The reader has closed the stream: nothing else to do.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
