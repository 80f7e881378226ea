// Signals as events of a loop: blocked in all threads, read from a signalfd.

import CLinux
import Glibc

/// Blocks signals, so that a loop can read them.
public enum SignalWatcher {
    /// Blocks `signals` for the calling thread and for threads that it starts later. `main` calls
    /// this before any other thread exists.
    public static func block(_ signals: [Int32]) {
        var mask = sigset_t()
        sigemptyset(&mask)
        for signal in signals { sigaddset(&mask, signal) }
        pthread_sigmask(SIG_BLOCK, &mask, nil)
    }
}

extension EventLoop {
    /// Calls `action` on this loop whenever the process receives `signal`, which
    /// `SignalWatcher.block` must have blocked in all threads. A second action for a signal
    /// replaces the first.
    /// - Throws: `SystemError` if no descriptor is available.
    public func onSignal(_ signal: Int32, _ action: @escaping () -> Void) throws(SystemError) {
        let dispatcher = signals ?? SignalDispatcher()
        signals = dispatcher
        SignalWatcher.block([signal])
        try dispatcher.add(signal, action, to: self)
    }
}

/// Reads a signalfd and calls the actions.
final class SignalDispatcher: ReadinessHandler {
    private var actions: [Int32: () -> Void] = [:]
    private var mask = sigset_t()
    private var descriptor: FileDescriptor?

    init() { sigemptyset(&mask) }

    func add(
        _ signal: Int32,
        _ action: @escaping () -> Void,
        to loop: EventLoop
    ) throws(SystemError) {
        actions[signal] = action
        sigaddset(&mask, signal)
        let known = descriptor?.number ?? -1
        let flags = Int32(SFD_CLOEXEC | SFD_NONBLOCK)
        let number = try systemCall("signalfd") { signalfd(known, &mask, flags) }
        if known < 0 {
            descriptor = FileDescriptor(owning: number)
            _ = try loop.register(number, for: .readable, self)
        }
    }

    func descriptorReady(_ readiness: Readiness) {
        guard let number = descriptor?.number else { return }
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while read(number, &information, size) == size {
            actions[Int32(information.ssi_signo)]?()
        }
    }
}
