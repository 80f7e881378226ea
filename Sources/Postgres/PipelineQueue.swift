// Assigns the results of a pipelined connection to its requests. A value without libpq and sockets:
// results in, finished requests out.
//
// A request is sent as one or two statements and a Sync message:
//
//     [prepare: result, end]  execute: result, end  Sync
//
// A single statement has its own Sync, so it is a separate transaction and its failure does not
// affect later statements. It is finished at the Sync, not at its rows: only then has it been
// committed, and until then a deferred constraint may fail it.
//
// The statements of a transaction share a Sync: each is finished at its own end, and statements
// after a failed one are skipped up to the Sync. PostgreSQL flushes its replies at the Sync, so
// many statements need one system call.

/// The pending requests of a connection, oldest first.
package struct PipelineQueue<Request, Rows> {
    /// The events of a connection, in the order of arrival.
    package enum Event {
        /// A statement succeeded.
        case rows(Rows)
        /// A statement failed.
        case failed(PostgresError)
        /// A statement was skipped because an earlier one failed.
        case skipped
        /// The end of the current statement (libpq's NULL).
        case endOfStatement
        /// A Sync: the end of a request or group.
        case synchronized
    }

    /// The reaction to an event.
    package enum Action {
        case none
        /// The request's statement is now prepared.
        case prepared(Request)
        case finished(Request, Result<Rows, PostgresError>)
        /// The event is not possible here: close the connection.
        case unexpected
    }

    private struct Entry {
        /// Nil for a Sync alone.
        let request: Request?
        /// The number of statements that have not ended: 2 with a preparation, 1 without, 0 for a
        /// Sync alone.
        var statementsLeft: Int
        let prepares: Bool
        /// Whether it has its own Sync; otherwise it is finished at its end.
        let synchronizes: Bool
        var rows: Rows?
        var error: PostgresError?
    }

    /// Creates an empty queue.
    package init() {}

    private var entries: [Entry] = []
    /// The index of the oldest request in `entries`. Finished ones before it are removed in bulk.
    private var head = 0
    /// The error because of which statements are skipped until the next Sync.
    private var cause: PostgresError?

    /// The number of pending requests, including single Syncs.
    package var count: Int { entries.count - head }
    /// Whether no request is pending.
    package var isEmpty: Bool { count == 0 }

    /// Adds a sent request: with `preparing` if its statement is prepared first, with
    /// `synchronizing` if it has its own Sync.
    package mutating func append(_ request: Request, preparing: Bool, synchronizing: Bool = true) {
        entries.append(
            Entry(
                request: request,
                statementsLeft: preparing ? 2 : 1,
                prepares: preparing,
                synchronizes: synchronizing
            )
        )
    }

    /// Adds a Sync that was sent for the requests before it.
    package mutating func appendSynchronization() {
        entries.append(
            Entry(request: nil, statementsLeft: 0, prepares: false, synchronizes: true)
        )
    }

    /// Handles the next event of the connection.
    package mutating func receive(_ event: Event) -> Action {
        guard head < entries.count else { return .unexpected }
        switch event {
        case .rows(let rows):
            return receive(rows)
        case .failed(let error):
            // The first error is the cause; an error of the commit follows the last statement.
            if entries[head].error == nil { entries[head].error = error }
        case .skipped:
            if entries[head].error == nil { entries[head].error = cause }
            guard entries[head].error != nil else { return .unexpected }
        case .endOfStatement:
            return endStatement()
        case .synchronized:
            guard entries[head].synchronizes else { return .unexpected }
            cause = nil
            return finish()
        }
        return .none
    }

    private mutating func endStatement() -> Action {
        // An error of the commit has its own end.
        if entries[head].statementsLeft > 0 {
            entries[head].statementsLeft -= 1
        } else if entries[head].error == nil {
            return .unexpected
        }
        guard !entries[head].synchronizes, entries[head].statementsLeft == 0 else { return .none }
        cause = entries[head].error
        return finish()
    }

    /// Removes and returns all requests, after the connection was lost.
    package mutating func removeAll() -> [Request] {
        let requests = entries[head...].compactMap(\.request)
        entries = []
        head = 0
        cause = nil
        return requests
    }

    private mutating func receive(_ rows: Rows) -> Action {
        let entry = entries[head]
        guard entry.error == nil, entry.statementsLeft > 0 else { return .unexpected }
        if entry.prepares, entry.statementsLeft == 2, let request = entry.request {
            return .prepared(request)
        }
        entries[head].rows = rows
        return .none
    }

    private mutating func finish() -> Action {
        let entry = entries[head]
        guard entry.statementsLeft == 0 else { return .unexpected }
        dropHead()
        guard let request = entry.request else { return .none }
        if let error = entry.error { return .finished(request, .failure(error)) }
        guard let rows = entry.rows else { return .unexpected }
        return .finished(request, .success(rows))
    }

    private mutating func dropHead() {
        head += 1
        if head == entries.count {
            entries.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 >= entries.count {
            entries.removeFirst(head)
            head = 0
        }
    }
}

extension PipelineQueue.Event: Sendable where Rows: Sendable {}
