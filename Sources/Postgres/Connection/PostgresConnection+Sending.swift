// Sending statements. Each is followed by its own Sync, or by one that several share; see
// PipelineQueue.

import CPostgres
import EventLoop

extension PostgresConnection {
    /// Sends a statement without waiting; `answer` is completed when it is committed or has failed.
    /// The caller has checked `values` and limits the number of requests. A statement that is not
    /// `synchronizing` is neither flushed nor answered before the next one that is, or
    /// `synchronize`.
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
        // No other statement may be between statements that share a Sync.
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

    /// Sends a Sync for the statements sent so far.
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

    /// Deallocates a prepared statement on the server, without waiting for the result.
    func deallocate(_ name: String) {
        guard phase == .open, let handle else { return }
        let sql = "DEALLOCATE \(name)"
        let isSent =
            PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1
            && PQpipelineSync(handle) == 1
        queue.append(Request(LoopPromise(loop), key: nil), preparing: false)
        guard isSent else { return endBroken() }
    }

    /// Flushes libpq's output, and waits for writability if the socket is full.
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

    /// Closes the connection if the server sends nothing for longer than the statement timeout: its
    /// machine may be down. Much earlier it looks for another primary, if there may be one.
    private func watchProgress() {
        guard timer == nil, configuration.statementTimeout > .zero else { return }
        let patience = configuration.statementTimeout + .seconds(5)
        let step = configuration.hasSeveralHosts ? configuration.silenceLimit : patience
        timer = loop.schedule(after: step) { [weak self] in
            guard let self else { return }
            timer = nil
            if queue.isEmpty { return }
            let silence = loop.now - lastProgress
            if silence >= patience {
                return end(.connectionLost("no answer within the statement timeout"))
            }
            if configuration.hasSeveralHosts, silence >= step { searchPrimary() }
            watchProgress()
        }
    }
}
