// A timeout.

import EventLoop

/// Calls an action when the time has come, unless cancelled before.
final class Deadline {
    private(set) var hasPassed = false
    private var timer: TimerToken?

    init(_ loop: EventLoop, after duration: Duration, _ action: @escaping () -> Void) {
        timer = loop.schedule(after: duration) { [weak self] in
            self?.hasPassed = true
            action()
        }
    }

    func cancel() { timer?.cancel() }
}
