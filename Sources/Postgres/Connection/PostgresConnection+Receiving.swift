// Receiving: passes bytes to libpq, and its results to their requests.

import CPostgres
import EventLoop

extension PostgresConnection {
    /// Reads received bytes and writes pending ones.
    func receive() {
        guard PQconsumeInput(handle) == 1 else { return endBroken() }
        lastProgress = loop.now
        while phase == .open, !queue.isEmpty, PQisBusy(handle) == 0 {
            guard let result = PQgetResult(handle) else {
                perform(queue.receive(.endOfStatement))
                continue
            }
            let answer = ServerResult(owning: result)
            guard PQstatus(handle) == CONNECTION_OK else { return endBroken() }
            switch answer {
            case .rows(let rows): perform(queue.receive(.rows(rows)))
            case .failed(let error): perform(queue.receive(.failed(error)))
            case .skipped: perform(queue.receive(.skipped))
            case .synchronized: perform(queue.receive(.synchronized))
            }
        }
        receiveNotifications()
        leaveIfDemoted()
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
                removeStatement(of: request, error)
                if error.sqlState == .readOnlyTransaction { hasRefusedToWrite = true }
                onFailure?(error)
            }
            request.answer.complete(result.mapError(meaning))
        case .unexpected:
            end(.driver("an answer out of turn"))
        }
    }

    /// After an error the statement may not be prepared, or its plan may not match the tables any
    /// more.
    private func removeStatement(of request: Request, _ error: PostgresError) {
        guard let key = request.key else { return }
        let isUnusable =
            error.sqlState == .featureNotSupported || error.sqlState == .invalidStatementName
        if isUnusable {
            if let name = statements.remove(key) { evicted.append(name) }
        } else {
            statements.removeUnconfirmed(key)
        }
    }

    /// The server sends the reason before it closes the connection; callers treat both alike. So
    /// they do a demoted primary, which is left.
    private func meaning(of error: PostgresError) -> PostgresError {
        switch error.sqlState {
        case .adminShutdown, .crashShutdown, .cannotConnectNow: .connectionLost(error.description)
        case .readOnlyTransaction where configuration.seeksPrimary:
            .connectionLost(error.description)
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
