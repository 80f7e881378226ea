// Which request each result of a pipelined connection belongs to. A value: results go in, finished
// requests come out; no libpq, no socket.
//
// On the wire a request is one or two statements and a synchronization:
//
//     [prepare: result, end]  execute: result, end  synchronization
//
// A single statement has a synchronization of its own, so that it is a transaction of its own and its
// failure leaves those behind it alone. It is finished at the synchronization, not at its rows:
// only then has it been committed, and a deferred constraint may fail it until then.
//
// The statements of a transaction share one: each is finished at its own end, those behind one that
// failed are skipped, and so is nothing that comes after the synchronization. PostgreSQL answers at
// the synchronization, so that many statements cost the sockets no more than one.

/// The requests under way on one connection, oldest first.
package struct PipelineQueue<Request, Rows> {
    /// What a connection receives, in the order in which it does.
    package enum Event {
        /// A statement succeeded.
        case rows(Rows)
        /// A statement failed.
        case failed(PostgresError)
        /// A statement was skipped, since one before it failed.
        case skipped
        /// There is no more of the current statement (libpq's NULL).
        case endOfStatement
        /// The end of a request.
        case synchronized
    }

    /// What to do about an event.
    package enum Action {
        case none
        /// The request's statement is prepared from now on.
        case prepared(Request)
        case finished(Request, Result<Rows, PostgresError>)
        /// The event makes no sense here: the connection is not to be trusted any more.
        case outOfTurn
    }

    private struct Entry {
        /// Nil for a synchronization alone.
        let request: Request?
        /// Statements whose end has not come; 2 with a preparation, else 1; none alone.
        var statementsLeft: Int
        let prepares: Bool
        /// Whether a synchronization follows; else it is finished at its end.
        let synchronizes: Bool
        var rows: Rows?
        var error: PostgresError?
    }

    /// No request is under way at first.
    package init() {}

    private var entries: [Entry] = []
    /// Where the oldest request is in `entries`. Those before it are done; they are dropped in
    /// bulk.
    private var head = 0
    /// Why statements are skipped until the next synchronization.
    private var cause: PostgresError?

    /// How many requests are under way, synchronizations alone included.
    package var count: Int { entries.count - head }
    /// Whether no request is under way.
    package var isEmpty: Bool { count == 0 }

    /// Adds a request that was sent, `preparing` its statement first or not, `synchronizing` after
    /// it or sharing a later synchronization.
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

    /// Adds a synchronization that was sent alone, for the requests before it.
    package mutating func appendSynchronization() {
        entries.append(
            Entry(request: nil, statementsLeft: 0, prepares: false, synchronizes: true)
        )
    }

    /// Takes the next event of the connection.
    package mutating func receive(_ event: Event) -> Action {
        guard head < entries.count else { return .outOfTurn }
        switch event {
        case .rows(let rows):
            return receive(rows)
        case .failed(let error):
            // The first error is the cause; a failed commit comes after the last statement.
            if entries[head].error == nil { entries[head].error = error }
        case .skipped:
            if entries[head].error == nil { entries[head].error = cause }
            guard entries[head].error != nil else { return .outOfTurn }
        case .endOfStatement:
            return endStatement()
        case .synchronized:
            guard entries[head].synchronizes else { return .outOfTurn }
            cause = nil
            return finish()
        }
        return .none
    }

    private mutating func endStatement() -> Action {
        // An error of the commit is followed by an end of its own.
        if entries[head].statementsLeft > 0 {
            entries[head].statementsLeft -= 1
        } else if entries[head].error == nil {
            return .outOfTurn
        }
        guard !entries[head].synchronizes, entries[head].statementsLeft == 0 else { return .none }
        cause = entries[head].error
        return finish()
    }

    /// Takes all requests out: the connection is lost.
    package mutating func removeAll() -> [Request] {
        let requests = entries[head...].compactMap(\.request)
        entries = []
        head = 0
        cause = nil
        return requests
    }

    private mutating func receive(_ rows: Rows) -> Action {
        let entry = entries[head]
        guard entry.error == nil, entry.statementsLeft > 0 else { return .outOfTurn }
        if entry.prepares, entry.statementsLeft == 2, let request = entry.request {
            return .prepared(request)
        }
        entries[head].rows = rows
        return .none
    }

    private mutating func finish() -> Action {
        let entry = entries[head]
        guard entry.statementsLeft == 0 else { return .outOfTurn }
        dropHead()
        guard let request = entry.request else { return .none }
        if let error = entry.error { return .finished(request, .failure(error)) }
        guard let rows = entry.rows else { return .outOfTurn }
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
