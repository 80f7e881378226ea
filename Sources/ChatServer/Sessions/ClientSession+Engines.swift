// Operations on remote engines.

import ChatCore
import ChatProtocol

extension OperationRouter {
    mutating func addEngines() {
        handle(.engineList) { session, _ in try session.listEngines() }
        handle(.engineAdd) { try await $0.addEngine($1) }
        handle(.engineDrain) { try await $0.drainEngine($1) }
        handle(.engineRemove) { try await $0.removeEngine($1) }
    }
}

extension ClientSession {
    func listEngines() throws -> EngineListReply {
        EngineListReply(engines: try remoteEngines().engines)
    }

    func addEngine(_ request: EngineAddRequest) async throws -> EngineReply {
        try Limits.check(request.engine, "engine", atMost: 4000)
        let engine = try await remoteEngines().add(request.engine, by: user)
        try modelAdministration().notify()
        return EngineReply(engine: engine)
    }

    func drainEngine(_ request: EngineDrainRequest) async throws -> EngineReply {
        try Limits.check(request.label, "label", atMost: 200)
        let engine = try await remoteEngines().drain(
            request.label,
            request.draining ?? true,
            by: user
        )
        try modelAdministration().notify()
        return EngineReply(engine: engine)
    }

    func removeEngine(_ request: EngineRequest) async throws -> EmptyReply {
        try Limits.check(request.label, "label", atMost: 200)
        let engines = try remoteEngines()
        try await engines.remove(request.label, by: user)
        if request.isImmediate == true {
            engines.leaveRemoved()
            try modelAdministration().notifyLeaving()
        } else {
            try modelAdministration().notify()
        }
        return EmptyReply()
    }

    private func remoteEngines() throws(WireError) -> RemoteEngineRegistry {
        guard let engines = try modelAdministration().engines else {
            throw WireError(.busy, "the server is starting: try again", retryAfter: 1)
        }
        return engines
    }
}
