// Commands for the engine's thread: any thread adds them, and the engine takes all of them between
// two steps. Bounded: a full queue refuses requests instead of blocking.

/// A command for the engine's thread.
package enum Command: Sendable {
    case submit(GenerationRequest, at: ContinuousClock.Instant)
    case cancel(UInt64)
    /// Remove all cached pages of these scopes.
    case forget([String])
    /// The pages on disk for a request's prompt, if they are more than those in memory.
    case found(UInt64, StoredPages?)
    /// The store has written the borrowed pages; `wanted` is the next page that it needs.
    case stored(wanted: Int?)
}

/// The queue of commands for the engine's thread, and the number of unfinished requests.
///
/// The limit covers every request without a slot, here or in the scheduler: `waiting`. It also
/// bounds cancels, because each unfinished request is cancelled at most once, and messages of the
/// store, which is asked once for each request and writes one sequence at a time.
package final class CommandQueue: Sendable {
    private struct State: Sendable {
        var commands: [Command] = []
        /// Unfinished requests, and whether they were cancelled.
        var isCancelled: [UInt64: Bool] = [:]
        var waiting = 0
        var isClosed = false
        var hasEnded = false
        /// The scopes with pages in memory.
        var scopes: Set<String> = []
    }

    /// The commands that the engine's thread takes at once.
    package struct Batch: Sendable {
        package var commands: [Command]
        /// The queue is closed: finish everything.
        package var isClosed: Bool
    }

    private let limit: Int
    private let monitor = Monitor(State())

    /// Creates a queue in which `limit` requests may wait.
    package init(limit: Int) {
        self.limit = limit
    }

    // MARK: - For callers, on any thread

    /// Queues a request. Free slots of `slots` will take waiting requests at once, so these do not
    /// count against the limit.
    /// - Throws: `.busy`, `.shutDown`, or `.invalidRequest` for the id of an unfinished request.
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

    /// Cancels an unfinished request; does nothing for another.
    package func cancel(_ id: UInt64) {
        monitor.update { state in
            guard state.isCancelled[id] == false else { return }
            state.isCancelled[id] = true
            state.commands.append(.cancel(id))
        }
    }

    /// Adds a command that belongs to no waiting request; ignored after the end.
    package func post(_ command: Command) {
        monitor.update { state in
            guard !state.hasEnded else { return }
            state.commands.append(command)
        }
    }

    /// Refuses new requests from now on.
    package func close() {
        monitor.update { $0.isClosed = true }
    }

    /// Blocks until the engine's thread has published its last event.
    package func waitForEnd() {
        monitor.update(when: { $0.hasEnded }) { _ in }
    }

    /// The number of requests with a slot and without one.
    package var load: (running: Int, waiting: Int) {
        monitor.read { ($0.isCancelled.count - $0.waiting, $0.waiting) }
    }

    /// The scopes of the latest `hold`.
    package var scopes: Set<String> { monitor.read { $0.scopes } }

    // MARK: - For the engine's thread

    /// Takes all commands. With `whenIdle`, waits for a command or the end, for at most `limit`;
    /// then there may be none.
    package func take(waiting whenIdle: Bool, atMost limit: Duration? = nil) -> Batch {
        monitor.update(
            when: { !whenIdle || $0.isClosed || !$0.commands.isEmpty },
            orAfter: limit
        ) { state in
            defer { state.commands.removeAll(keepingCapacity: true) }
            return Batch(commands: state.commands, isClosed: state.isClosed)
        }
    }

    /// Waits for commands even if the queue is closed.
    package func takeLate() -> [Command] {
        monitor.update(when: { !$0.commands.isEmpty }) { state in
            defer { state.commands.removeAll(keepingCapacity: true) }
            return state.commands
        }
    }

    /// A waiting request was admitted to a slot.
    package func wasAdmitted(_ id: UInt64) {
        monitor.update { $0.waiting -= 1 }
    }

    /// A request is finished; its id may be reused.
    package func wasFinished(_ id: UInt64, admitted: Bool) {
        monitor.update { state in
            state.isCancelled[id] = nil
            if !admitted { state.waiting -= 1 }
        }
    }

    /// The engine has pages in memory for these scopes and no others.
    package func hold(_ scopes: Set<String>) {
        monitor.update { $0.scopes = scopes }
    }

    /// The last event was published.
    package func end() {
        monitor.update { $0.hasEnded = true }
    }
}
