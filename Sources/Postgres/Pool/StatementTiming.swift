// The times of a transaction's statements, which are sent together and answered one after the other.

import EventLoop

/// Times the statements of one transaction.
struct StatementTiming {
    private struct Pending {
        let answer: LoopPromise<PostgresRows, PostgresError>
        let name: StatementName?
        let sql: String
        let parameters: [PostgresValue]
        let sentAt: ContinuousClock.Instant
    }

    /// The wait for the connection, until a statement has been reported with it.
    private var wait: Duration
    private let receive: (TimedStatement) -> Void
    private var pending: [Pending] = []
    private var lastEnd: ContinuousClock.Instant?

    init(wait: Duration, receive: @escaping (TimedStatement) -> Void) {
        self.wait = wait
        self.receive = receive
    }

    /// Notes a statement that is sent.
    mutating func sent(
        _ answer: LoopPromise<PostgresRows, PostgresError>,
        _ name: StatementName?,
        _ sql: String,
        _ parameters: [PostgresValue],
        at now: ContinuousClock.Instant
    ) {
        pending.append(
            Pending(answer: answer, name: name, sql: sql, parameters: parameters, sentAt: now)
        )
    }

    /// Reports the statement of an answer; nothing for BEGIN.
    mutating func ended(
        _ answer: LoopPromise<PostgresRows, PostgresError>,
        at now: ContinuousClock.Instant
    ) {
        guard let index = pending.firstIndex(where: { $0.answer === answer }) else { return }
        let statement = pending.remove(at: index)
        receive(
            TimedStatement(
                name: statement.name,
                sql: statement.sql,
                parameters: statement.parameters,
                wait: wait,
                execution: now - max(statement.sentAt, lastEnd ?? statement.sentAt)
            )
        )
        (wait, lastEnd) = (.zero, now)
    }
}
