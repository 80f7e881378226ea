// The operations on messages and answers.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop

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

    /// Takes a message: acknowledged after its commit, not before.
    func sendMessage(_ request: MessageSendRequest) async throws -> Committed<MessageSendReply> {
        try check(text: request.text)
        guard request.parent == nil || request.leaf == nil else {
            throw WireError(.badRequest, "name the parent or a leaf, not both")
        }
        let committed = try await server.withHonestRetry(of: user.id) {
            try await server.store.messages.send(request, by: user, limits: server.queueLimits)
        }
        tellTurn(committed, in: request.conversation)
        return committed
    }

    /// Refuses what is too long to say, and what says nothing.
    func check(text: String) throws(WireError) {
        try Limits.check(text, "text", atMost: server.limits.textBytes)
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw WireError(.badRequest, "text is empty")
        }
    }

    /// Tells watchers, the members' lists and the queue that messages were made; nobody where the
    /// request was one that had been answered before.
    func tellTurn<Reply>(_ committed: Committed<Reply>, in conversation: ConversationID) {
        server.hub.publish(committed.events, in: conversation)
        server.dispatcher.enqueue(committed.queued)
        guard !committed.events.isEmpty else { return }
        server.nodes.bus.send(.queue(sender: server.nodes.bus.node))
    }

    /// The asker's answers that wait or grow.
    func listGenerations() async throws -> GenerationListReply {
        let generations = try await server.store.generations(of: user.id, limit: 200)
        return GenerationListReply(
            generations: generations.map { generation in
                let place = server.dispatcher.places[generation.message]
                return Generation(
                    conversation: generation.conversation,
                    title: generation.title,
                    message: generation.message,
                    state: generation.state,
                    priority: generation.priority.onWire,
                    queuedAt: generation.queuedAt,
                    position: generation.state == .queued ? place?.position : nil,
                    eta: generation.state == .queued ? place?.seconds : nil
                )
            }
        )
    }

    /// Ends an answer, whether it waits or grows; one that has ended stays as it is.
    func stopGeneration(_ request: GenerationStopRequest) async throws -> GenerationStopReply {
        let arrival = server.loop.now
        guard let place = try await server.store.messages.place(of: request.message, for: user.id)
        else {
            throw WireError.noSuchMessage
        }
        let permission = Permission.decide(.write, place.standing)
        if let refusal = permission.refusal(invisible: .noSuchMessage) { throw refusal }
        if server.dispatcher.stop(request.message, seen: request.seen, askedAt: arrival) {
            // The wish outlives this server, should it die before the end is stored. Where the
            // database is away, the end itself waits for it.
            _ = try? await server.store.requestStop(request.message, seen: request.seen)
            return GenerationStopReply(state: place.state)
        }
        try await endElsewhere(
            request.message,
            in: place.conversation,
            seen: request.seen,
            askedAt: arrival
        )
        return GenerationStopReply(state: place.state)
    }

    /// Ends an answer that no engine here makes: one that waits, at once; another node's, by telling it.
    func endElsewhere(
        _ message: MessageID,
        in conversation: ConversationID,
        seen: Int? = nil,
        askedAt arrival: ContinuousClock.Instant
    ) async throws {
        if let event = try await server.store.stopWaiting(message, in: conversation, seen: seen) {
            server.dispatcher.forget(message)
            server.hub.publish([event], in: conversation)
        } else if !server.dispatcher.stop(message, seen: seen, askedAt: arrival) {
            // Another node makes it, or did until it died: whoever goes on ends it.
            _ = try await server.store.requestStop(message, seen: seen)
            server.nodes.bus.send(.stop(message))
        }
    }

    func search(_ request: SearchRequest) async throws -> SearchReply {
        try Limits.check(request.query, "query", atMost: 1000)
        try Limits.check(request.author, "author", atMost: 1000)
        guard (1...100).contains(request.limit ?? 20) else {
            throw WireError(.badRequest, "limit must be 1 to 100")
        }
        return try await server.store.search.page(request, for: user.id, limit: request.limit ?? 20)
    }
}

extension QueuePriority {
    /// The wire's word; nil for the server's own work.
    var onWire: MessagePriority? {
        switch self {
        case .interactive: .interactive
        case .batch: .batch
        case .background: nil
        }
    }
}
