// Whole texts to standard output and standard error at once: a script that waits for a line gets it when
// it is printed.

import Glibc

enum StandardStreams {
    /// Writes a line to standard output.
    static func print(_ line: String) { write("\(line)\n", to: STDOUT_FILENO) }

    /// Writes a line to standard error.
    static func printError(_ line: String) { write("\(line)\n", to: STDERR_FILENO) }

    /// Writes to standard error why the program ends. Paths and names of others in it do nothing to a
    /// terminal.
    static func printFailure(_ message: String) {
        printError("stoa: \(TerminalSanitizer.clean(message))")
    }

    /// Writes a text to standard output as it is, without a line feed.
    static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

    /// Writes bytes to standard output as they are.
    static func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// Writes a text to standard error as it is, without a line feed.
    static func writeError(_ text: String) { write(text, to: STDERR_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        write(Array(text.utf8), to: descriptor)
    }

    private static func write(_ all: [UInt8], to descriptor: Int32) {
        var bytes = all[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // Nobody reads it any more: a line less does no harm.
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }
}
