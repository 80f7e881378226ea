// Receiving: bytes into libpq, results out of it, each to the request that it belongs to.

import CPostgres
import EventLoop

extension PostgresConnection {
    /// Takes what has arrived and writes what has waited.
    func receive() {
        guard PQconsumeInput(handle) == 1 else { return endBroken() }
        lastProgress = loop.now
        while phase == .open, !queue.isEmpty, PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle) else {
                perform(queue.receive(.endOfStatement))
                continue
            }
            let answer = ServerAnswer(owning: result)
            guard PQstatus(handle) == CONNECTION_OK else { return endBroken() }
            switch answer {
            case .rows(let rows): perform(queue.receive(.rows(rows)))
            case .failed(let error): perform(queue.receive(.failed(error)))
            case .skipped: perform(queue.receive(.skipped))
            case .synchronized: perform(queue.receive(.synchronized))
            }
        }
        receiveNotifications()
        if phase == .open { flush() }
        if phase == .open { onRoom?() }
    }

    private func perform(_ action: PipelineQueue<Request, PostgresRows>.Action) {
        switch action {
        case .none: break
        case .prepared(let request):
            if let key = request.key { statements.confirm(key) }
        case .finished(let request, let result):
            if case .failure(let error) = result {
                forgetStatement(of: request, error)
                onFailure?(error)
            }
            request.answer.complete(result.mapError(Self.meaning))
        case .outOfTurn:
            end(.driver("an answer out of turn"))
        }
    }

    /// After an error the statement may not be prepared, or its plan may not fit the tables any
    /// more.
    private func forgetStatement(of request: Request, _ error: PostgresError) {
        guard let key = request.key else { return }
        let isUnusable =
            error.sqlState == .featureNotSupported || error.sqlState == .invalidStatementName
        if isUnusable {
            if let name = statements.forget(key) { evicted.append(name) }
        } else {
            statements.forgetUnconfirmed(key)
        }
    }

    /// The server says why before it hangs up; to the caller both are the same.
    private static func meaning(of error: PostgresError) -> PostgresError {
        switch error.sqlState {
        case .adminShutdown, .crashShutdown, .cannotConnectNow: .connectionLost(error.description)
        default: error
        }
    }

    private func receiveNotifications() {
        while phase == .open, let notification = PQnotifies(handle) {
            defer { PQfreemem(notification) }
            let channel = notification.pointee.relname.map { String(cString: $0) } ?? ""
            let payload = notification.pointee.extra.map { String(cString: $0) } ?? ""
            onNotification?(PostgresNotification(channel: channel, payload: payload))
        }
    }
}
