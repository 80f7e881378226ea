// Operations on messages and answers.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop

extension OperationRouter {
    mutating func addMessages() {
        handle(.messageList) { try await $0.listMessages($1) }
        handle(.messageSend, in: .changes) { try await $0.sendMessage($1) }
        handle(.generationStop) { try await $0.stopGeneration($1) }
        handle(.generationList) { session, _ in try await session.listGenerations() }
    }
}

extension ClientSession {
    func listMessages(_ request: MessageListRequest) async throws -> MessageListReply {
        try await server.store.messages.page(
            of: request.conversation,
            before: request.before,
            leaf: request.leaf,
            limit: try Limits.page(request.limit),
            for: user.id
        )
    }

    /// Stores a user message and its pending answer; replies after the commit.
    func sendMessage(_ request: MessageSendRequest) async throws -> Committed<MessageSendReply> {
        try check(text: request.text)
        guard request.parent == nil || request.leaf == nil else {
            throw WireError(.badRequest, "name the parent or a leaf, not both")
        }
        let committed = try await storeTurn { limits in
            try await server.store.messages.send(request, by: user, limits: limits)
        }
        server.tellTurn(committed, in: request.conversation)
        return committed
    }

    /// Stores a turn of the user within the limits of the queue.
    func storeTurn<Reply>(
        _ store: (QueueLimits) async throws -> Committed<Reply>
    ) async throws -> Committed<Reply> {
        try await server.storeTurn(of: user, store)
    }

    /// Refuses a text that is too long or empty.
    func check(text: String) throws(WireError) {
        try Limits.check(text, "text", atMost: server.limits.textBytes)
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw WireError(.badRequest, "text is empty")
        }
    }

    /// The user's queued and running answers.
    func listGenerations() async throws -> GenerationListReply {
        let generations = try await server.store.queue.generations(of: user.id, limit: 200)
        return GenerationListReply(
            generations: generations.map { generation in
                let place = server.dispatcher.positions[generation.message]
                return Generation(
                    conversation: generation.conversation,
                    title: generation.title,
                    message: generation.message,
                    state: generation.state,
                    priority: generation.priority.onWire,
                    queuedAt: generation.queuedAt,
                    position: generation.state == .queued ? place?.number : nil,
                    eta: generation.state == .queued ? place?.seconds : nil
                )
            }
        )
    }

    /// Stops a queued or running answer; one that has ended stays as it is.
    func stopGeneration(_ request: GenerationStopRequest) async throws -> GenerationStopReply {
        let arrival = server.loop.now
        guard let place = try await server.store.messages.access(to: request.message, for: user.id)
        else {
            throw WireError.noSuchMessage
        }
        let permission = Permission.decide(.write, place.standing)
        if let refusal = permission.refusal(invisible: .noSuchMessage) { throw refusal }
        try await server.nodes.stopper.stop(
            request.message,
            in: place.conversation,
            for: .requested(seen: request.seen),
            askedAt: arrival
        )
        return GenerationStopReply(state: place.state)
    }
}

extension QueuePriority {
    /// The name on the wire; nil for the server's own work.
    var onWire: MessagePriority? {
        switch self {
        case .interactive: .interactive
        case .batch: .batch
        case .background: nil
        }
    }
}
