// A time after which something is given up.

import EventLoop

/// Calls an action once its time has come, unless cancelled before.
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
