// Operations on conversations and their members.

import ChatProtocol
import ChatStore
import EventLoop

extension OperationRouter {
    mutating func addConversations() {
        handle(.conversationList) { try await $0.listConversations($1) }
        handle(.conversationCreate) { try await $0.createConversation($1) }
        handle(.conversationGet) { try await $0.getConversation($1) }
        handle(.conversationUpdate) { try await $0.updateConversation($1) }
        handle(.conversationDelete) { try await $0.deleteConversation($1) }
        handle(.conversationPin) { try await $0.pin($1) }
        handle(.conversationFork) { try await $0.fork($1) }
        handle(.conversationRead) { try await $0.readConversation($1) }
        handle(.memberAdd) { try await $0.addMember($1) }
        handle(.memberRemove) { try await $0.removeMember($1) }
        respond(to: .conversationWatch, in: { .watches($0.conversation) }) {
            try await $0.watch($2, $1)
        }
        respond(to: .conversationUnwatch, in: { .watches($0.conversation) }) {
            session,
            request,
            id in
            session.unwatch(request.conversation)
            session.grant(id, EmptyReply())
        }
        handle(.typing) { try await $0.notifyTyping($1) }
    }
}

extension ClientSession {
    func listConversations(
        _ request: ConversationListRequest
    ) async throws -> ConversationListReply {
        let limit = try Limits.page(request.limit)
        try Limits.check(request.tag, "tag", atMost: 256)
        guard let after = request.after else {
            return try await server.store.lists.conversations(
                of: user.id,
                cursor: request.cursor,
                limit: limit,
                archived: request.archived ?? false,
                folder: request.folder,
                tag: request.tag
            )
        }
        guard request.cursor == nil, request.archived != true, request.folder == nil,
            request.tag == nil
        else {
            throw WireError(.badRequest, "after excludes cursor, archived, folder and tag")
        }
        return try await server.store.lists.changes(
            of: user.id,
            after: after,
            changeLimit: 200,
            pageLimit: limit
        )
    }

    func getConversation(_ request: ConversationRequest) async throws -> ConversationReply {
        let conversation = try await server.store.conversations.conversation(
            request.conversation,
            for: user.id
        )
        return ConversationReply(conversation: conversation)
    }

    func readConversation(
        _ request: ConversationReadRequest
    ) async throws -> ConversationReadReply {
        let unread = try await server.store.lists.markRead(request, by: user.id)
        server.hub.lists.changed(user.id)
        return ConversationReadReply(unread: unread)
    }

    func pin(_ request: ConversationPinRequest) async throws -> EmptyReply {
        try await server.store.lists.pin(request, by: user.id)
        server.hub.lists.changed(user.id)
        return EmptyReply()
    }

    func createConversation(
        _ request: ConversationCreateRequest
    ) async throws -> ConversationReply {
        try check(title: request.title, prompt: request.systemPrompt, request.settings)
        try check(request.library, excludes: request.systemPrompt != nil)
        try checkLifetime(request.expiresIn)
        guard let model = server.board.defaultName else {
            throw WireError(.unavailable, "no model is available", retryAfter: 5)
        }
        try check(model: request.model)
        let conversation = try await server.store.conversations.create(
            request,
            model: request.model ?? model,
            by: user.id
        )
        server.hub.lists.changed(user.id)
        return ConversationReply(conversation: conversation)
    }

    func updateConversation(
        _ request: ConversationUpdateRequest
    ) async throws -> ConversationReply {
        try check(title: request.title, prompt: request.systemPrompt, request.settings)
        try check(
            request.library,
            excludes: request.systemPrompt != nil || request.usesServerPrompt
        )
        try check(model: request.model)
        let committed = try await server.store.conversations.update(request, by: user.id)
        server.hub.publish(committed.events, in: request.conversation)
        return ConversationReply(conversation: committed.value)
    }

    func deleteConversation(_ request: ConversationRequest) async throws -> EmptyReply {
        let committed = try await server.store.conversations.delete(
            request.conversation,
            by: user.id
        )
        server.tellDeletion(committed, of: request.conversation)
        await server.hub.settle()
        return EmptyReply()
    }

    func addMember(_ request: MemberAddRequest) async throws -> MemberReply {
        let committed = try await server.store.conversations.addMember(request, by: user.id)
        server.hub.publish(committed.events, in: request.conversation)
        // The new role may be lower than the previous one.
        server.nodes.standingChanged(of: committed.value.user.id)
        return MemberReply(members: committed.value.members)
    }

    func removeMember(_ request: MemberRemoveRequest) async throws -> MemberReply {
        let committed = try await server.store.conversations.removeMember(request, by: user.id)
        server.nodes.tellMembers([request.conversation: committed.events])
        server.nodes.standingChanged(of: request.user)
        await server.hub.settle()
        return MemberReply(members: committed.value.members)
    }

    func notifyTyping(_ request: ConversationRequest) async throws -> EmptyReply {
        let conversation = request.conversation
        try await server.store.conversations.require(.write, of: user.id, in: conversation)
        server.nodes.presence.typed(user, in: conversation)
        return EmptyReply()
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

    /// Refuses two system prompts at once.
    private func check(_ library: LibraryChoice?, excludes hasOther: Bool) throws(WireError) {
        guard library == nil || !hasOther else {
            throw WireError(.badRequest, "library excludes system_prompt")
        }
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
