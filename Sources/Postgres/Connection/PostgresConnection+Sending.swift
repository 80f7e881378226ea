// Sending statements. Each is followed by a synchronization of its own, or by one that several share;
// see PipelineQueue.

import CPostgres
import EventLoop

extension PostgresConnection {
    /// Sends a statement; `answer` is completed when it is committed or has failed. Never waits.
    /// The caller has checked `values` and bounds the number of requests. A statement that is not
    /// `synchronizing` is neither written nor answered before the next one that is, or `synchronize`.
    func send(
        _ sql: String,
        _ values: [PostgresValue],
        _ answer: LoopPromise<PostgresRows, PostgresError>,
        synchronizing: Bool = true
    ) {
        let parameters = StatementParameters(values)
        let key = StatementKey(sql: sql, types: parameters.types)
        let use = statements.use(key)
        if case .prepare(_, evicting: let old?) = use { evicted.append(old) }
        // Nothing may come between statements that share a synchronization.
        while !needsSynchronization, let name = evicted.popLast() { deallocate(name) }
        guard phase == .open, let handle else {
            return answer.fail(.connectionLost("the connection has ended"))
        }
        if queue.isEmpty { lastProgress = loop.now }
        let isSent = Self.transmit(handle, key, use, parameters)
        queue.append(
            Request(answer, key: use == .unprepared ? nil : key),
            preparing: use.isPreparation,
            synchronizing: synchronizing
        )
        guard isSent else { return endBroken() }
        needsSynchronization = true
        if synchronizing { endGroup() }
    }

    /// Has what was sent be answered.
    func synchronize() {
        guard phase == .open, needsSynchronization else { return }
        queue.appendSynchronization()
        endGroup()
    }

    private func endGroup() {
        guard PQpipelineSync(handle) == 1 else { return endBroken() }
        needsSynchronization = false
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
