// Sending statements. Each is followed by a synchronization of its own; see PipelineQueue.

import CPostgres
import EventLoop

extension PostgresConnection {
    /// Sends a statement; `answer` is completed when it is committed or has failed. Never waits.
    /// The caller has checked `values` and bounds the number of requests.
    func send(
        _ sql: String,
        _ values: [PostgresValue],
        _ answer: LoopPromise<PostgresRows, PostgresError>
    ) {
        guard phase == .open, let handle else {
            return answer.fail(.connectionLost("the connection has ended"))
        }
        if queue.isEmpty { lastProgress = loop.now }
        let parameters = StatementParameters(values)
        let key = StatementKey(sql: sql, types: parameters.types)
        var evicted: String?
        var isSent: Bool
        var prepares = false
        var isPrepared = true
        switch statements.use(key) {
        case .execute(let name):
            isSent = Self.sendExecution(handle, name, parameters)
        case .prepare(let name, let old):
            prepares = true
            evicted = old
            isSent =
                PQsendPrepare(handle, name, sql, Int32(values.count), parameters.types) == 1
                && Self.sendExecution(handle, name, parameters)
        case .unprepared:
            isPrepared = false
            isSent = parameters.withPointers { count, values, lengths, formats in
                PQsendQueryParams(
                    handle,
                    sql,
                    count,
                    parameters.types,
                    values,
                    lengths,
                    formats,
                    1
                ) == 1
            }
        }
        isSent = isSent && PQpipelineSync(handle) == 1
        queue.append(Request(answer, key: isPrepared ? key : nil), preparing: prepares)
        guard isSent else { return endBroken() }
        if let evicted { deallocate(evicted) }
        flush()
        watchProgress()
    }

    /// Drops a prepared statement at the server. Nobody waits for the answer.
    func deallocate(_ name: String) {
        guard phase == .open, let handle else { return }
        let sql = "DEALLOCATE \(name)"
        let isSent =
            PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1
            && PQpipelineSync(handle) == 1
        queue.append(Request(LoopPromise(loop), key: nil), preparing: false)
        guard isSent else { return endBroken() }
    }

    /// Writes what libpq holds back, and waits for room where the socket is full.
    func flush() {
        let result = PQflush(handle)
        guard result >= 0 else { return endBroken() }
        do {
            try registration?.update(result == 0 ? .readable : [.readable, .writable])
        } catch {
            end(.driver("\(error)"))
        }
    }

    private static func sendExecution(
        _ handle: OpaquePointer,
        _ name: String,
        _ parameters: StatementParameters
    ) -> Bool {
        parameters.withPointers { count, values, lengths, formats in
            PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
        }
    }

    /// Ends the connection when the server stays silent for longer than any statement may take: its
    /// machine may be gone without a word.
    private func watchProgress() {
        guard timer == nil, configuration.statementTimeout > .zero else { return }
        let patience = configuration.statementTimeout + .seconds(5)
        timer = loop.schedule(after: patience) { [weak self] in
            guard let self else { return }
            timer = nil
            if queue.isEmpty { return }
            if loop.now - lastProgress >= patience {
                end(.connectionLost("no answer within the statement timeout"))
            } else {
                watchProgress()
            }
        }
    }
}
