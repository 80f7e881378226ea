// What an operation's statements took: its task, and those that it starts, add to it.

import Postgres
import Synchronization

/// The statements of one operation.
final class OperationParts: Sendable {
    /// Their number and durations.
    struct Figures {
        var count = 0
        /// For connections.
        var wait = Duration.zero
        var execution = Duration.zero
        /// The one that took longest.
        var slowest: (name: String, execution: Duration)?
    }

    private struct State {
        var figures = Figures()
        var hasEnded = false
    }

    /// The operation of the current task; nil outside of operations, and without a slow log.
    @TaskLocal static var current: OperationParts?

    private let id: RequestID
    private let state = Mutex(State())

    init(_ id: RequestID) { self.id = id }

    /// The request's name in the log; nil once it has ended: tasks that it started go on for others.
    var request: RequestID? { state.withLock { $0.hasEnded } ? nil : id }

    /// Adds a statement.
    func add(_ statement: TimedStatement) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.figures.count += 1
            state.figures.wait += statement.wait
            state.figures.execution += statement.execution
            if statement.execution >= state.figures.slowest?.execution ?? .zero {
                let name = statement.name.map { "\($0)" } ?? "unnamed"
                state.figures.slowest = (name, statement.execution)
            }
        }
    }

    /// Ends it.
    /// - Returns: what its statements took.
    func end() -> Figures {
        state.withLock { state in
            state.hasEnded = true
            return state.figures
        }
    }
}
