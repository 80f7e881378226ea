// Writes to standard output and standard error without buffering, so that a script gets each line at
// once.

import Glibc
import TerminalText

enum StandardStreams {
    /// Writes a line to standard output.
    static func print(_ line: SafeText) { write("\(line)\n" as SafeText) }

    /// Writes a line to standard error.
    static func printError(_ line: SafeText) { writeError("\(line)\n") }

    /// Writes an error message to standard error, with control sequences in paths and names
    /// removed.
    static func printFailure(_ message: String) { printError("stoa: \(message)") }

    /// Writes a text to standard output, without adding a line feed.
    static func write(_ text: SafeText) { write(Array(text.text.utf8), to: STDOUT_FILENO) }

    /// Writes a text to standard error, without adding a line feed.
    static func writeError(_ text: SafeText) { write(Array(text.text.utf8), to: STDERR_FILENO) }

    /// Writes JSON and a line feed to standard output; what a terminal would interpret is escaped.
    static func print(json: [UInt8]) { write(SafeJSON.escaped(json) + [0x0A], to: STDOUT_FILENO) }

    /// Writes bytes of others to standard output as they are: only for programs that read them.
    static func write(exactly bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

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
