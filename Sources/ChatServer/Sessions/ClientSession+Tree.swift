// Operations on the tree of messages: other branches, deletion, forks, and ratings.

import ChatCore
import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addTree() {
        handle(.messageEdit, in: .changes) { try await $0.editMessage($1) }
        handle(.messageRegenerate, in: .changes) { try await $0.regenerate($1) }
        handle(.messageContinue, in: .changes) { try await $0.continueAnswer($1) }
        handle(.messageSelect, in: .changes) { try await $0.select($1) }
        handle(.messageDelete, in: .changes) { try await $0.deleteMessage($1) }
        handle(.messageRestore, in: .changes) { try await $0.restoreMessage($1) }
        handle(.messageFeedback, in: .changes) { try await $0.rate($1) }
    }
}

extension ClientSession {
    func editMessage(_ request: MessageEditRequest) async throws -> Committed<MessageSendReply> {
        try check(text: request.text)
        let committed = try await storeTurn { limits in
            try await server.store.messages.edit(request, by: user, limits: limits)
        }
        server.tellTurn(committed, in: request.conversation)
        return committed
    }

    func regenerate(_ request: MessageAgainRequest) async throws -> Committed<MessageAnswerReply> {
        let committed = try await storeTurn { limits in
            try await server.store.messages.regenerate(request, by: user, limits: limits)
        }
        server.tellTurn(committed, in: request.conversation)
        return committed
    }

    func continueAnswer(_ request: MessageAgainRequest) async throws -> Committed<
        MessageAnswerReply
    > {
        let committed = try await storeTurn { limits in
            try await server.store.messages.continue(request, by: user, limits: limits)
        }
        server.tellTurn(committed, in: request.conversation)
        return committed
    }

    /// Stores which branch the user sees. It is not broadcast, not even to the user's other
    /// devices.
    func select(_ request: MessageSelectRequest) async throws -> MessageListReply {
        try await server.store.messages.select(
            request,
            for: user.id,
            limit: try Limits.page(request.limit)
        )
    }

    /// Deletes a message and all below it; running answers there are stopped.
    func deleteMessage(_ request: MessageDeleteRequest) async throws -> MessageDeleteReply {
        let committed = try await server.store.messages.delete(request, by: user.id)
        // After the runs there were stopped, and even if that fails.
        defer { server.forgetPages(of: [request.conversation]) }
        server.hub.publish(committed.events, in: request.conversation)
        // The message is deleted even if a stop request fails.
        for answer in committed.value.unfinished {
            try await server.nodes.stopper.stop(answer, in: request.conversation, for: .deleted)
        }
        server.dispatcher.wake()
        return MessageDeleteReply(messages: committed.value.messages)
    }

    /// Restores a deleted message.
    func restoreMessage(_ request: MessageRestoreRequest) async throws -> MessageRestoreReply {
        let committed = try await server.store.messages.restore(
            request,
            by: user.id,
            server.lifeCycle,
            at: .now
        )
        server.hub.publish(committed.events, in: request.conversation)
        return MessageRestoreReply(messages: committed.value)
    }

    func rate(_ request: MessageFeedbackRequest) async throws -> EmptyReply {
        try Limits.check(request.text, "text", atMost: 4000)
        guard request.rating == nil || request.rating == 1 || request.rating == -1 else {
            throw WireError(.badRequest, "rating must be 1, -1 or null")
        }
        let committed = try await server.store.messages.rate(request, by: user)
        server.hub.publish(committed.events, in: request.conversation)
        return EmptyReply()
    }

    func fork(_ request: ConversationForkRequest) async throws -> ConversationReply {
        try Limits.check(request.title, "title", atMost: server.limits.titleBytes)
        let conversation = try await server.store.conversations.fork(request, by: user.id)
        server.hub.lists.changed(user.id)
        return ConversationReply(conversation: conversation)
    }
}
