// Operations on models.

import ChatCore
import ChatProtocol
import EventLoop

extension OperationRouter {
    mutating func addModels() {
        handle(.modelList) { session, _ in session.listModels() }
        handle(.modelPull) { try await $0.pullModel($1) }
        handle(.modelEstimate) { try await $0.estimateModel($1) }
        handle(.modelPullCancel) { try await $0.cancelPull($1) }
        handle(.modelLoad) { try await $0.loadModel($1) }
        handle(.modelUnload) { try await $0.unloadModel($1) }
        handle(.modelDefault) { try await $0.makeDefault($1) }
    }
}

extension ClientSession {
    private var isAdministrator: Bool { credential.isAdministrator }

    /// The server's models, with the fields that this user may see.
    var models: [Model] { server.board.models(isAdministrator: isAdministrator) }

    func listModels() -> ModelListReply {
        let mayPull = (try? requirePulling()) != nil
        return ModelListReply(
            models: models,
            pullable: mayPull ? server.pulls?.shortNames : nil,
            memory: isAdministrator ? .current : nil
        )
    }

    /// Starts to download a model; replies after the commit.
    func pullModel(_ request: ModelPullRequest) async throws -> ModelReply {
        let pulls = try requirePulling()
        try Limits.check(request.name, "name", atMost: 200)
        try Limits.check(request.revision, "revision", atMost: 200)
        let name = try await pulls.pull(
            request.name,
            revision: request.revision ?? "main",
            by: user.id
        )
        return try modelReply(name)
    }

    /// Asks the hub what a model would need.
    func estimateModel(_ request: ModelPullRequest) async throws -> ModelEstimateReply {
        let pulls = try requirePulling()
        try Limits.check(request.name, "name", atMost: 200)
        try Limits.check(request.revision, "revision", atMost: 200)
        let (name, result) = try await pulls.estimate(
            request.name,
            revision: request.revision ?? "main"
        )
        switch result {
        case .success(let estimate): return ModelEstimateReply(name: name, estimate: estimate)
        case .failure(let failure):
            return ModelEstimateReply(
                name: name,
                reason: failure.description,
                reasonCode: failure.code
            )
        }
    }

    func cancelPull(_ request: ModelRequest) async throws -> EmptyReply {
        try await requirePulling().cancel(request.name)
        return EmptyReply()
    }

    func loadModel(_ request: ModelRequest) async throws -> ModelReply {
        try await modelAdministration().load(request.name, by: user)
        return try modelReply(request.name)
    }

    func unloadModel(_ request: ModelRequest) async throws -> ModelReply {
        try await modelAdministration().unload(request.name, by: user)
        return try modelReply(request.name)
    }

    func makeDefault(_ request: ModelRequest) async throws -> ModelReply {
        try await modelAdministration().makeDefault(request.name, by: user)
        return try modelReply(request.name)
    }

    private func modelReply(_ name: String) throws(WireError) -> ModelReply {
        guard let model = server.board.model(name, isAdministrator: true) else {
            throw WireError(.notFound, "\(name) was removed meanwhile")
        }
        return ModelReply(model: model)
    }

    func modelAdministration() throws(WireError) -> ModelAdministration {
        guard let models = server.modelAdministration else {
            throw WireError(.busy, "the server is starting: try again", retryAfter: 1)
        }
        return models
    }

    private func requirePulling() throws(WireError) -> ModelPulls {
        let verdict = Permission.decide(.init(.modelPull), with: credential)
        if let refusal = verdict.refusal { throw refusal }
        guard server.settings.modelPull == .administrators, let pulls = server.pulls else {
            throw WireError(.forbidden, "pulling models is disabled: --model-pull is off")
        }
        return pulls
    }
}
