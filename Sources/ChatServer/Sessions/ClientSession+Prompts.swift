// Operations on system prompts, their versions, and the libraries that they come from.

import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addPrompts() {
        handle(.conversationPrompts) { try await $0.listPrompts($1) }
        handle(.promptCreate) { try await $0.createPrompt($1) }
        handle(.promptUpdate) { try await $0.updatePrompt($1) }
        handle(.promptList) { try await $0.listPrompts($1) }
        handle(.promptVersions) { try await $0.listPromptVersions($1) }
        handle(.promptDelete) { try await $0.deletePrompt($1) }
    }
}

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

    func deletePrompt(_ request: PromptDeleteRequest) async throws -> EmptyReply {
        try await server.store.prompts.delete(request.prompt, by: user)
        return EmptyReply()
    }
}
