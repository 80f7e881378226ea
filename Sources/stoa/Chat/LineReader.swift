// Lines of standard input on an event loop: waits for a terminal or a pipe, reads a file directly.

import EventLoop
import Glibc

/// Reads lines on demand. Used on its event loop.
final class LineReader {
    /// Maximum bytes of a line; a longer one is split.
    private static let lineBytesMax = 1 << 20

    private let loop: EventLoop
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// The next line without its line feed; nil at the end. Invalid UTF-8 is replaced.
    func next() async -> String? {
        while true {
            if let line = takeLine() { return line }
            if isAtEnd || Task.isCancelled { return nil }
            await waitUntilReadable()
            read()
        }
    }

    private func takeLine() -> String? {
        let end = buffer.firstIndex(of: 0x0A)
        guard let end = end ?? (isAtEnd || buffer.count >= Self.lineBytesMax ? buffer.count : nil),
            !buffer.isEmpty
        else { return nil }
        var line = buffer[..<end]
        if line.last == 0x0D { line = line.dropLast() }
        let text = String(decoding: line, as: UTF8.self)
        buffer.removeFirst(min(end + 1, buffer.count))
        return text
    }

    private func waitUntilReadable() async {
        let readable = LoopPromise<Void, Never>(loop)
        // A file is always readable, and epoll rejects it.
        guard
            let registration = try? loop.register(
                STDIN_FILENO,
                for: .readable,
                InputReadiness(readable)
            )
        else { return }
        await readable.value { readable.succeed(()) }
        registration.cancel()
    }

    private func read() {
        if Task.isCancelled { return }
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        if count > 0 {
            buffer += bytes[..<count]
        } else if count == 0 || errno != EINTR && errno != EAGAIN {
            isAtEnd = true
        }
    }
}

private final class InputReadiness: ReadinessHandler {
    private let readable: LoopPromise<Void, Never>

    init(_ readable: LoopPromise<Void, Never>) {
        self.readable = readable
    }

    func descriptorReady(_ readiness: Readiness) { readable.succeed(()) }
}
