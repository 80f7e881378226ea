// A line beside the pages, for the next life of the process that keeps them.

import Glibc

/// The file of that line. As with the pages, a crash may cost it, or its end.
struct PageNote: Sendable {
    private static let byteCountMax = 64

    private let path: String
    private let log: @Sendable (String) -> Void

    /// The note of a folder; `log` gets a line where it cannot be written.
    init(folder: String, log: @escaping @Sendable (String) -> Void) {
        path = "\(folder)/.note"
        self.log = log
    }

    /// The line; nil where there is none.
    func read() -> String? {
        // Not a pipe's: to open one would wait for whoever writes to it.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: Self.byteCountMax)
        let count = Glibc.read(file, &bytes, Self.byteCountMax)
        guard count > 0 else { return nil }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Puts a line in the place of the one before, of as many bytes as fit.
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
