// What the model is told first, in all its versions.

import ChatProtocol
import ChatStore

extension ClientSession {
    func listPrompts(
        _ request: ConversationPromptsRequest
    ) async throws -> ConversationPromptsReply {
        try await server.store.systemPrompts(
            request,
            limit: try Limits.page(request.limit),
            for: user.id
        )
    }
}
