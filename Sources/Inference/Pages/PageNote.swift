// A line of text beside the pages, for the next process.

import Glibc

/// The file of that line. It may be lost or truncated by a crash.
struct PageNote: Sendable {
    private static let byteCountMax = 64

    private let path: String
    private let log: @Sendable (String) -> Void

    /// Creates the note of a folder; `log` receives a line if it cannot be written.
    init(folder: String, log: @escaping @Sendable (String) -> Void) {
        path = "\(folder)/.note"
        self.log = log
    }

    /// Reads the line; nil if there is none.
    func read() -> String? {
        // O_NONBLOCK, since opening a pipe would wait for its writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.byteCountMax)
        let count = Glibc.read(file, &bytes, Self.byteCountMax)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Replaces the line, truncated to the maximum size.
    func write(_ line: String) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = open(path, flags, 0o600)
        guard file >= 0 else { return fail() }
        defer { close(file) }
        let bytes = Array(line.utf8.prefix(Self.byteCountMax))
        if Glibc.write(file, bytes, bytes.count) != bytes.count { fail() }
    }

    private func fail() {
        log("cannot note in \(path): \(PageStoreError.latest("write it"))")
    }
}
