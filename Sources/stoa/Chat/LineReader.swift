// Lines of standard input on a loop: a terminal or a pipe is waited for, a file is just read.

import EventLoop
import Glibc

/// Reads lines as they are asked for. Lives on its loop.
final class LineReader {
    /// The longest line; a longer one is handed over in pieces.
    private static let lineBytesMax = 1 << 20

    private let loop: EventLoop
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// The next line without its end; nil after the last one. Bytes that are no UTF-8 are replaced.
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
        // A file is always readable, and epoll refuses it.
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
