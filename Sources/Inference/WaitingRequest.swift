// A request that has not started.

/// A request in an engine's queue.
struct WaitingRequest {
    var request: GenerationRequest
    let submittedAt: ContinuousClock.Instant
    /// The pages on disk for its prompt.
    var stored: StoredPages?

    /// Whether its deadline has passed.
    func isLate(at now: ContinuousClock.Instant) -> Bool {
        request.deadline.map { $0 <= now } ?? false
    }
}
