// Output to a terminal that may be slow: nothing waits for it, and nothing is queued for it but one drawing.

import EventLoop
import Glibc
import TerminalText

/// Writes drawings to standard output, each after the one before. Used on its event loop.
///
/// The terminal is opened once more, so that it is this description alone that does not block: the
/// shell shares the one of standard output.
final class TerminalOutput: ReadinessHandler {
    /// How long `finish` waits for a terminal that takes nothing.
    private static let patience: Int32 = 2000

    /// Called when all was written.
    var onFree: (() -> Void)?

    private let loop: EventLoop
    private let descriptor: Int32
    private var registration: Registration?
    private var rest: ArraySlice<UInt8> = []

    init(_ loop: EventLoop) {
        self.loop = loop
        let flags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
        let own = open("/proc/self/fd/\(STDOUT_FILENO)", flags)
        // Without /proc, writing blocks.
        descriptor = own >= 0 ? own : dup(STDOUT_FILENO)
    }

    deinit {
        registration?.cancel()
        close(descriptor)
    }

    /// Whether the terminal has not taken the last drawing yet: a next one would only wait.
    var isBusy: Bool { !rest.isEmpty }

    /// Writes now what the terminal takes, and the rest when it takes more.
    func write(_ text: SafeText) {
        rest += Array(text.text.utf8)
        writeSome()
        guard isBusy, registration == nil else { return }
        registration = try? loop.register(descriptor, for: .writable, self)
    }

    /// Waits until all was written, before the terminal is given away. A terminal that takes nothing
    /// for two seconds is given up.
    func finish() {
        registration?.cancel()
        registration = nil
        while isBusy {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&waiting, 1, Self.patience) > 0 else { break }
            writeSome()
        }
        rest = []
    }

    func descriptorReady(_ readiness: Readiness) {
        writeSome()
        guard !isBusy else { return }
        registration?.cancel()
        registration = nil
        onFree?()
    }

    private func writeSome() {
        while isBusy {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                return
            } else if count >= 0 || errno != EINTR {
                // The terminal is gone: a signal tells the program.
                rest = []
            }
        }
    }
}
