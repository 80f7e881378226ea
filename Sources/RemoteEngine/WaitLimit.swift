// How long to wait for an engine.

import EngineProtocol

/// A wait that ends at an instant.
struct WaitLimit {
    /// What is awaited.
    let wait: EngineFault.Wait
    private let start: ContinuousClock.Instant
    /// When the wait ends.
    private(set) var end: ContinuousClock.Instant

    init(_ wait: EngineFault.Wait, _ duration: Duration, from start: ContinuousClock.Instant) {
        self.wait = wait
        self.start = start
        end = start + duration
    }

    /// The same wait, which ends at `instant` if that is earlier.
    func until(_ instant: ContinuousClock.Instant?) -> WaitLimit {
        var limit = self
        if let instant { limit.end = max(start, min(end, instant)) }
        return limit
    }

    /// The fault if nothing arrives in time.
    var fault: EngineFault { .silent(wait, seconds: Int((end - start).components.seconds)) }
}
