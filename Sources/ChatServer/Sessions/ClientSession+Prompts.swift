// What the model is told first, in all its versions, and the libraries that it may be taken from.

import ChatProtocol
import ChatStore

extension ClientSession {
    func listPrompts(
        _ request: ConversationPromptsRequest
    ) async throws -> ConversationPromptsReply {
        try await server.store.prompts.systemPrompts(
            request,
            limit: try Limits.page(request.limit),
            for: user.id
        )
    }
}

// MARK: Libraries

extension ClientSession {
    func createPrompt(_ request: PromptCreateRequest) async throws -> PromptReply {
        try Limits.check(name: request.name, of: "a prompt")
        try check(text: request.text)
        return PromptReply(prompt: try await server.store.prompts.create(request, by: user))
    }

    func updatePrompt(_ request: PromptUpdateRequest) async throws -> PromptReply {
        if let name = request.name { try Limits.check(name: name, of: "a prompt") }
        try check(text: request.text)
        return PromptReply(prompt: try await server.store.prompts.update(request, by: user))
    }

    func listPrompts(_ request: PromptListRequest) async throws -> PromptListReply {
        PromptListReply(
            prompts: try await server.store.prompts.list(of: request.team, for: user.id)
        )
    }

    func listPromptVersions(
        _ request: PromptVersionsRequest
    ) async throws -> PromptVersionsReply {
        try await server.store.prompts.versions(
            request,
            limit: try Limits.page(request.limit),
            for: user.id
        )
    }
}
