// The operations on the tree of messages: other branches, deletion, forks, and opinions.

import ChatCore
import ChatProtocol
import ChatStore

extension ClientSession {
    func editMessage(_ request: MessageEditRequest) async throws -> Committed<MessageSendReply> {
        try check(text: request.text)
        let committed = try await server.withHonestRetry(of: user.id) {
            try await server.store.messages.edit(request, by: user, limits: server.queueLimits)
        }
        tellTurn(committed, in: request.conversation)
        return committed
    }

    func regenerate(_ request: MessageAgainRequest) async throws -> Committed<MessageAnswerReply> {
        let committed = try await server.withHonestRetry(of: user.id) {
            try await server.store.messages.regenerate(
                request,
                by: user,
                limits: server.queueLimits
            )
        }
        tellTurn(committed, in: request.conversation)
        return committed
    }

    func continueAnswer(_ request: MessageAgainRequest) async throws -> Committed<
        MessageAnswerReply
    > {
        let committed = try await server.withHonestRetry(of: user.id) {
            try await server.store.messages.continue(request, by: user, limits: server.queueLimits)
        }
        tellTurn(committed, in: request.conversation)
        return committed
    }

    /// Remembers a branch. Nobody else is told, and none of the user's other connections.
    func select(_ request: MessageSelectRequest) async throws -> MessageListReply {
        try await server.store.messages.select(
            request,
            for: user.id,
            limit: try Limits.page(request.limit)
        )
    }

    /// Deletes a message and what is below it; what grows there is stopped.
    func deleteMessage(_ request: MessageDeleteRequest) async throws -> MessageDeleteReply {
        let committed = try await server.store.messages.delete(request, by: user.id)
        // Once what grows there has been stopped, and also where that fails.
        defer { server.forgetPages(of: [request.conversation]) }
        server.hub.publish(committed.events, in: request.conversation)
        // However the stops go: the message is deleted.
        for answer in committed.value.unfinished {
            if !server.dispatcher.stop(answer, seen: nil) {
                try await server.nodes.stop(answer, seen: nil)
            }
        }
        server.dispatcher.wake()
        return MessageDeleteReply(messages: committed.value.messages)
    }

    /// Takes the deletion of a message back.
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
