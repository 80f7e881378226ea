// Reads and writes transfer files in chunks; standard output if no file is named.

import EventLoop
import Glibc
import TerminalText

/// A file that is read or written sequentially.
// Safety: used by one task at a time, after the one that opened it.
final class TransferFile: @unchecked Sendable {
    private let descriptor: Int32
    private let path: String
    /// Standard output, if it is a terminal.
    private var terminal: TextOutput?

    private init(_ descriptor: Int32, _ path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit {
        if descriptor > 2 { close(descriptor) }
    }

    /// Standard output.
    static func standardOutput() -> TransferFile {
        let file = TransferFile(STDOUT_FILENO, "standard output")
        if Terminal.isOutput { file.terminal = TextOutput(isTerminal: true) }
        return file
    }

    /// Creates or opens a file that only its owner can read.
    /// - Throws: `CommandFailure` if it can't be created.
    static func writing(_ path: String, keepsContent: Bool) throws(CommandFailure) -> TransferFile {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | (keepsContent ? 0 : O_TRUNC)
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw CommandFailure(.latest(.write, path)) }
        return TransferFile(descriptor, path)
    }

    /// Opens an existing file.
    /// - Throws: `CommandFailure` if it can't be read.
    static func reading(_ path: String) throws(CommandFailure) -> TransferFile {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure(.latest(.read, path)) }
        return TransferFile(descriptor, path)
    }

    /// Its size in bytes.
    var byteCount: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// The next bytes; nil at the end.
    func read() throws(CommandFailure) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 256 << 10)
        while true {
            let count = Glibc.read(descriptor, &bytes, bytes.count)
            if count > 0 { return Array(bytes[..<count]) }
            if count == 0 { return nil }
            guard errno == EINTR else { throw CommandFailure(.latest(.read, path)) }
        }
    }

    func rewind() { lseek(descriptor, 0, SEEK_SET) }

    /// Removes the content after `byteCount`, and continues writing there.
    func truncate(to byteCount: Int) throws(CommandFailure) {
        guard ftruncate(descriptor, byteCount) == 0,
            lseek(descriptor, byteCount, SEEK_SET) == byteCount
        else { throw CommandFailure(.latest(.write, path)) }
    }

    func write(_ bytes: [UInt8]) throws(CommandFailure) {
        var rest = (terminal?.shown(bytes) ?? bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw CommandFailure(.latest(.write, path)) }
            rest = rest.dropFirst(count)
        }
    }
}

/// A line on standard error that is rewritten at most a few times a second; nothing if that is not a
/// terminal.
struct TransferProgress {
    private let isShown = Terminal.isError
    private var shownAt = 0

    mutating func show(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let tick = now.tv_sec * 4 + now.tv_nsec / 250_000_000
        guard tick != shownAt else { return }
        shownAt = tick
        StandardStreams.writeError("\r\u{1B}[K\(text())")
    }

    func end() {
        if isShown, shownAt > 0 { StandardStreams.writeError("\r\u{1B}[K") }
    }
}
