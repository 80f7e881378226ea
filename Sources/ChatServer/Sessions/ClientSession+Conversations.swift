// The operations on conversations and their members.

import ChatProtocol
import ChatStore
import EventLoop

extension ClientSession {
    func listConversations(
        _ request: ConversationListRequest
    ) async throws -> ConversationListReply {
        try await server.store.conversations(
            of: user.id,
            cursor: request.cursor,
            limit: try Limits.page(request.limit)
        )
    }

    func createConversation(
        _ request: ConversationCreateRequest
    ) async throws -> ConversationReply {
        try check(title: request.title, prompt: request.systemPrompt, request.settings)
        guard let model = server.board.defaultName else {
            throw WireError(.unavailable, "the server has no model", retryAfter: 5)
        }
        try check(model: request.model)
        let conversation = try await server.store.createConversation(
            request,
            model: request.model ?? model,
            systemPrompt: server.settings.systemPrompt,
            by: user.id
        )
        tellList(conversation)
        return ConversationReply(conversation: conversation)
    }

    func updateConversation(
        _ request: ConversationUpdateRequest
    ) async throws -> ConversationReply {
        try check(title: request.title, prompt: request.systemPrompt, request.settings)
        try check(model: request.model)
        let committed = try await server.store.updateConversation(request, by: user.id)
        server.hub.publish(committed.events, in: request.conversation)
        tellList(committed.value)
        return ConversationReply(conversation: committed.value)
    }

    func deleteConversation(_ request: ConversationRequest) async throws -> EmptyReply {
        let committed = try await server.store.deleteConversation(
            request.conversation,
            by: user.id
        )
        server.dispatcher.stopAll(in: request.conversation)
        server.hub.publish(committed.events, in: request.conversation)
        for member in committed.value { server.hub.expel(member, from: request.conversation) }
        return EmptyReply()
    }

    func addMember(_ request: MemberAddRequest) async throws -> MemberReply {
        let committed = try await server.store.addMember(request, by: user.id)
        server.hub.publish(committed.events, in: request.conversation)
        tellList(request.conversation, to: committed.value.members.map(\.user.id))
        return MemberReply(members: committed.value.members)
    }

    func removeMember(_ request: MemberRemoveRequest) async throws -> MemberReply {
        let committed = try await server.store.removeMember(request, by: user.id)
        server.hub.publish(committed.events, in: request.conversation)
        server.hub.expel(request.user, from: request.conversation)
        tellList(request.conversation, to: committed.value.members.map(\.user.id))
        return MemberReply(members: committed.value.members)
    }

    // MARK: Lists

    /// Tells the lists of all members who are here that a conversation came, moved or changed.
    func tellList(_ conversation: Conversation) {
        tellList(conversation.id, to: conversation.members.map(\.user.id))
    }

    /// Tells the lists of those of `users` who are here. Each sees a conversation in a role of
    /// their own, so each is told from a row of their own.
    func tellList(_ conversation: ConversationID, to users: [UserID]) {
        for user in users where server.hub.isConnected(user) {
            server.loop.spawn { [server] in
                guard
                    var summary = try? await server.store.conversation(conversation, for: user)
                else { return }
                summary.systemPrompt = nil
                server.hub.tell(
                    user,
                    .conversationListed(
                        ConversationListed(conversation: conversation, summary: summary)
                    )
                )
            }
        }
    }

    /// Refuses a model that cannot be chosen, and names those that can.
    private func check(model: String?) throws(WireError) {
        let names = server.board.choosable
        guard let model, !names.contains(model) else { return }
        let choice =
            names.isEmpty
            ? "there is none at present" : "there are \(names.joined(separator: ", "))"
        throw WireError(.notFound, "there is no model “\(model.prefix(200))” to choose: \(choice)")
    }

    private func check(
        title: String?,
        prompt: String?,
        _ settings: GenerationSettings?
    ) throws(WireError) {
        try Limits.check(title, "title", atMost: server.limits.titleBytes)
        try Limits.check(prompt, "system_prompt", atMost: server.limits.textBytes)
        try Limits.check(settings)
    }
}
