// The deadline of a client, which changes with every request and response.

import EventLoop

/// A deadline that is cheap to change: its timer is set again only if it would be late, and looks
/// for a later deadline when it fires. So a request takes no timer.
final class ClientDeadline {
    private let loop: EventLoop
    private let whenPassed: () -> Void
    /// Nil while there is none.
    private var time: ContinuousClock.Instant?
    private var timer: (token: TimerToken, time: ContinuousClock.Instant)?

    /// Creates it without a time; `whenPassed` is called when one has passed.
    init(_ loop: EventLoop, whenPassed: @escaping () -> Void) {
        self.loop = loop
        self.whenPassed = whenPassed
    }

    deinit { timer?.token.cancel() }

    /// Sets the deadline, `duration` from now.
    func set(within duration: Duration) {
        let time = loop.now + duration
        self.time = time
        guard timer.map({ time < $0.time }) ?? true else { return }
        timer?.token.cancel()
        start(at: time)
    }

    /// From now on there is no deadline.
    func end() { time = nil }

    private func start(at time: ContinuousClock.Instant) {
        let token = loop.schedule(after: time - loop.now) { [weak self] in self?.fired() }
        timer = (token, time)
    }

    private func fired() {
        timer = nil
        guard let time else { return }
        guard time <= loop.now else { return start(at: time) }
        self.time = nil
        whenPassed()
    }
}
