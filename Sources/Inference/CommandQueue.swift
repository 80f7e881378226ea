// The way into the engine's thread: whoever calls puts commands in, the engine takes all of them
// between two steps. Bounded: a full queue is an answer, not a wait.

/// What the engine's thread is told.
package enum Command: Sendable {
    case submit(GenerationRequest, at: ContinuousClock.Instant)
    case cancel(UInt64)
    /// Nothing is kept of these scopes any more.
    case forget([String])
    /// What the disk has of a request's prompt, where memory has less.
    case found(UInt64, KeptPages?)
    /// The pages that were lent to the disk are there; which one it wants next.
    case kept(wanted: Int?)
}

/// Commands that wait for the engine's thread, and the count of what it has in hand.
///
/// The bound covers every request that has no slot yet, here or in the scheduler: `waiting`.
/// Cancels are bounded by that too, because each unfinished request is cancelled once at most, and so is
/// what the disk says: it is asked once for each request, and keeps one sequence at a time.
package final class CommandQueue: Sendable {
    private struct State: Sendable {
        var commands: [Command] = []
        /// Unfinished requests, by whether they were cancelled.
        var isCancelled: [UInt64: Bool] = [:]
        var waiting = 0
        var isClosed = false
        var hasEnded = false
        /// Of whom the engine has something in memory.
        var scopes: Set<String> = []
    }

    /// What the engine's thread takes at once.
    package struct Batch: Sendable {
        package var commands: [Command]
        /// No more will come: finish everything.
        package var isClosed: Bool
    }

    private let limit: Int
    private let monitor = Monitor(State())

    /// A queue that lets `limit` requests wait.
    package init(limit: Int) {
        self.limit = limit
    }

    // MARK: - For callers, on any thread

    /// Puts a request in the queue. Of the `slots`, those that are free will take waiting requests
    /// at once, so that these do not count against the limit.
    /// - Throws: `.busy`, `.shutDown`, or `.invalidRequest` for an id that is under way.
    package func submit(
        _ request: GenerationRequest,
        at now: ContinuousClock.Instant,
        slots: Int
    ) throws(EngineError) {
        try monitor.update { (state) throws(EngineError) in
            guard !state.isClosed else { throw EngineError.shutDown }
            guard state.isCancelled[request.id] == nil else {
                throw EngineError.invalidRequest("a request with this id is under way")
            }
            let running = state.isCancelled.count - state.waiting
            guard state.waiting < limit + max(0, slots - running) else {
                throw EngineError.busy(queueLimit: limit)
            }
            state.isCancelled[request.id] = false
            state.waiting += 1
            state.commands.append(.submit(request, at: now))
        }
    }

    /// Asks for the end of an unfinished request; does nothing for another.
    package func cancel(_ id: UInt64) {
        monitor.update { state in
            guard state.isCancelled[id] == false else { return }
            state.isCancelled[id] = true
            state.commands.append(.cancel(id))
        }
    }

    /// Adds a command that belongs to no request that waits; after the end, nobody would take it.
    package func post(_ command: Command) {
        monitor.update { state in
            guard !state.hasEnded else { return }
            state.commands.append(command)
        }
    }

    /// Takes no more requests.
    package func close() {
        monitor.update { $0.isClosed = true }
    }

    /// Waits until the engine's thread has published its last event.
    package func waitForEnd() {
        monitor.update(when: { $0.hasEnded }) { _ in }
    }

    /// Requests with a slot, and requests without.
    package var load: (running: Int, waiting: Int) {
        monitor.read { ($0.isCancelled.count - $0.waiting, $0.waiting) }
    }

    /// The scopes that `hold` named last.
    package var scopes: Set<String> { monitor.read { $0.scopes } }

    // MARK: - For the engine's thread

    /// Takes all commands. Waits for one, or for the end, where `whenIdle`; but no longer than
    /// `limit`, after which there may be none.
    package func take(waiting whenIdle: Bool, atMost limit: Duration? = nil) -> Batch {
        monitor.update(
            when: { !whenIdle || $0.isClosed || !$0.commands.isEmpty },
            orAfter: limit
        ) { state in
            defer { state.commands.removeAll(keepingCapacity: true) }
            return Batch(commands: state.commands, isClosed: state.isClosed)
        }
    }

    /// Waits for commands where the queue is closed, too.
    package func takeLate() -> [Command] {
        monitor.update(when: { !$0.commands.isEmpty }) { state in
            defer { state.commands.removeAll(keepingCapacity: true) }
            return state.commands
        }
    }

    /// A waiting request has got a slot.
    package func wasAdmitted(_ id: UInt64) {
        monitor.update { $0.waiting -= 1 }
    }

    /// A request is finished; its id may be used again.
    package func wasFinished(_ id: UInt64, admitted: Bool) {
        monitor.update { state in
            state.isCancelled[id] = nil
            if !admitted { state.waiting -= 1 }
        }
    }

    /// The engine has something in memory for these scopes, and for no others.
    package func hold(_ scopes: Set<String>) {
        monitor.update { $0.scopes = scopes }
    }

    /// The last event was published.
    package func end() {
        monitor.update { $0.hasEnded = true }
    }
}
