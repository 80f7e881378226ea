// What streams have in common.

import EventLoop

/// The loop, limits and counters of a listener's streams. Each of them needs only one reference for
/// all of it, and there are many idle streams.
final class StreamGroup {
    let loop: EventLoop
    let limits: StreamLimits
    /// The counters of the listener; nil for streams that we opened.
    let figures: ListenerFigures?
    /// Called when one of the streams is closed.
    let whenClosed: () -> Void
    /// The loop's batch.
    let sends: SendBatch

    init(
        _ loop: EventLoop,
        _ limits: StreamLimits,
        _ figures: ListenerFigures? = nil,
        whenClosed: @escaping () -> Void = {}
    ) {
        self.loop = loop
        self.limits = limits
        self.figures = figures
        self.whenClosed = whenClosed
        sends = SendBatch.of(loop)
    }
}
