// Keys of the terminal on an event loop.

import EventLoop
import Glibc
import TerminalText

/// Reads keys until it is stopped. Used on its event loop.
final class KeyReader: ReadinessHandler {
    /// A sequence of a key arrives in one piece, also over slow lines; an ESC alone is the key.
    private static let escapePatience = Duration.milliseconds(50)

    /// Called for each key; nil at the end of the input.
    var onKey: ((Key?) -> Void)?

    private let loop: EventLoop
    private var decoder = KeyDecoder()
    private var registration: Registration?

    init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Begins to read standard input, or goes on.
    func start() {
        guard registration == nil else { return }
        registration = try? loop.register(STDIN_FILENO, for: .readable, self)
    }

    /// Leaves standard input to others.
    func stop() {
        registration?.cancel()
        registration = nil
    }

    func descriptorReady(_ readiness: Readiness) {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return }
        guard count > 0 else {
            stop()
            onKey?(nil)
            return
        }
        for key in decoder.append(bytes[..<count]) { onKey?(key) }
        guard decoder.isWaiting else { return }
        loop.schedule(after: Self.escapePatience) { [weak self] in
            guard let self, let key = self.decoder.flush() else { return }
            self.onKey?(key)
        }
    }
}
