// Sending statements. Each is followed by a synchronization of its own; see PipelineQueue.

import CPostgres
import EventLoop

extension PostgresConnection {
    /// Sends a statement; `answer` is completed when it is committed or has failed. Never waits.
    /// The caller has checked `values` and bounds the number of requests. A statement that is not
    /// `synchronizing` fails or succeeds together with the one that is sent next: at once, please.
    func send(
        _ sql: String,
        _ values: [PostgresValue],
        _ answer: LoopPromise<PostgresRows, PostgresError>,
        synchronizing: Bool = true
    ) {
        let parameters = StatementParameters(values)
        let key = StatementKey(sql: sql, types: parameters.types)
        let use = statements.use(key)
        var evicted: String?
        if case .prepare(_, evicting: let old?) = use { evicted = old }
        // Nothing may come between a statement and the one whose synchronization it shares.
        let isShared = sharesSynchronization
        sharesSynchronization = !synchronizing
        if let evicted, !isShared { deallocate(evicted) }
        guard phase == .open, let handle else {
            return answer.fail(.connectionLost("the connection has ended"))
        }
        if queue.isEmpty { lastProgress = loop.now }
        let isSent =
            Self.transmit(handle, key, use, parameters)
            && (!synchronizing || PQpipelineSync(handle) == 1)
        queue.append(
            Request(answer, key: use == .unprepared ? nil : key),
            preparing: use.isPreparation,
            synchronizing: synchronizing
        )
        guard isSent else { return endBroken() }
        guard synchronizing else { return }
        if let evicted, isShared { deallocate(evicted) }
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

    private static func transmit(
        _ handle: OpaquePointer,
        _ key: StatementKey,
        _ use: StatementCache.Use,
        _ parameters: StatementParameters
    ) -> Bool {
        parameters.withPointers { count, values, lengths, formats in
            func execute(_ name: String) -> Bool {
                PQsendQueryPrepared(handle, name, count, values, lengths, formats, 1) == 1
            }
            switch use {
            case .execute(let name):
                return execute(name)
            case .prepare(let name, evicting: _):
                return PQsendPrepare(handle, name, key.sql, count, key.types) == 1 && execute(name)
            case .unprepared:
                return PQsendQueryParams(
                    handle,
                    key.sql,
                    count,
                    key.types,
                    values,
                    lengths,
                    formats,
                    1
                ) == 1
            }
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
