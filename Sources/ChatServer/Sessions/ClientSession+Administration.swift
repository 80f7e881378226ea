// Operations for administrators, and the reading of the audit log.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Postgres

extension OperationRouter {
    mutating func addAdministration() {
        handle(.runList) { try await $0.listRuns($1) }
        handle(.runStop) { try await $0.stopRun($1) }
        handle(.auditList) { try await $0.listAudit($1) }
        handle(.teamAudit) { try await $0.auditTeam($1) }
        handle(.serverStatus) { session, _ in try await session.serverStatus() }
        handle(.serverDoctor) { session, _ in try await session.serverDoctor() }
    }
}

extension ClientSession {
    // MARK: Runs

    /// Everyone's queued and running answers.
    func listRuns(_ request: RunListRequest) async throws -> RunListReply {
        let limit = try Limits.page(request.limit)
        let cursor = try request.cursor.map { text throws(WireError) in try RunCursor(text) }
        let page = try await server.store.queue.unfinishedRuns(after: cursor, limit: limit + 1)
        let runs = page.prefix(limit).map { entry in
            var run = entry.run
            run.priority = entry.priority.onWire
            if run.state == .queued {
                run.position = server.dispatcher.positions[run.message]?.number
            }
            return run
        }
        return RunListReply(
            runs: runs,
            cursor: page.count > limit ? page[limit - 1].cursor.text : nil
        )
    }

    /// Stops anyone's answer; one that has ended stays as it is.
    func stopRun(_ request: RunStopRequest) async throws -> GenerationStopReply {
        let arrival = server.loop.now
        let run = try await server.store.queue.requestStop(request.message, by: Actor(user))
        guard run.isUnfinished else { return GenerationStopReply(state: run.state) }
        try await server.nodes.stopper.stop(
            request.message,
            in: run.conversation,
            for: .administrator,
            askedAt: arrival
        )
        return GenerationStopReply(state: run.state)
    }

    // MARK: The audit log

    /// A page of the whole log.
    func listAudit(_ request: AuditListRequest) async throws -> AuditListReply {
        try Limits.check(request.actor, "actor", atMost: 256)
        try Limits.check(request.action, "action", atMost: 64)
        try Limits.check(request.cursor, "cursor", atMost: 64)
        return try await server.store.audit.entries(
            request,
            limit: try Limits.page(request.limit)
        )
    }

    /// A page of what was done in a team.
    func auditTeam(_ request: TeamAuditRequest) async throws -> AuditListReply {
        let role = try await server.store.teams.role(of: user.id, in: request.team)
        let permission = Permission.decide(TeamAction.audit, as: role)
        if let refusal = permission.refusal(invisible: .noSuchTeam) { throw refusal }
        return try await listAudit(AuditListRequest(request))
    }

    // MARK: The server

    /// The server's state, even if the database is unavailable.
    func serverStatus() async throws -> ServerStatusReply {
        var nodes = [
            NodeStatus(
                name: server.settings.nodeName,
                startedAt: server.startedAt,
                seenAt: .now,
                current: true
            )
        ]
        var database = DatabaseStatus(state: .away)
        do {
            let health = try await server.store.health.database()
            database = DatabaseStatus(
                state: .ready,
                version: health.versionText,
                bytes: health.byteCount,
                connections: health.connectionCount,
                oldestTransactionSeconds: health.oldestTransactionSeconds
            )
            nodes = try await livingNodes(own: nodes)
        } catch let error as PostgresError where error.isTransient {
            // The reply reports this as the database's state.
        }
        let queue = server.dispatcher.queue.mirror.queue
        return ServerStatusReply(
            version: Server.version,
            time: .now,
            nodes: nodes,
            models: models,
            queue: QueueStatus(
                waiting: queue.waiting.count,
                running: queue.running.count,
                limit: server.settings.queueLimit
            ),
            connections: server.connectionCount,
            database: database,
            load: server.load
        )
    }

    /// What the doctor finds on this node.
    func serverDoctor() async throws -> ServerDoctorReply {
        guard let doctor = server.doctor else {
            throw WireError(.busy, "the server is starting: ask again", retryAfter: 1)
        }
        let report = try await doctor.report()
        return ServerDoctorReply(
            verdict: report.verdict.onWire,
            checks: report.checks.map { check in
                ServerCheck(
                    area: check.area.rawValue,
                    name: check.name,
                    verdict: check.verdict.onWire,
                    found: check.found,
                    foundCode: check.foundCode,
                    advice: check.advice,
                    adviceCode: check.adviceCode
                )
            }
        )
    }

    /// The live nodes; this one is among them before its first heartbeat.
    private func livingNodes(own: [NodeStatus]) async throws -> [NodeStatus] {
        let here = server.nodes.bus.node
        let living = try await server.store.nodes.living()
        let others = living.filter { $0.id != here }.map { node in
            NodeStatus(name: node.name, startedAt: node.startedAt, seenAt: node.seenAt)
        }
        return own + others
    }
}

extension DoctorCheck.Verdict {
    /// The verdict in the protocol.
    fileprivate var onWire: ServerCheck.Verdict {
        switch self {
        case .ok: .ok
        case .warning: .warning
        case .failure: .failure
        }
    }
}
