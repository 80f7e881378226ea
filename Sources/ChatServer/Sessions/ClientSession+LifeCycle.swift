// Operations on how conversations end.

import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addLifeCycle() {
        handle(.conversationArchive) { try await $0.archive($1) }
        handle(.conversationDeletedList) { try await $0.listDeleted($1) }
        handle(.conversationRestore) { try await $0.restore($1) }
        handle(.conversationHold) { try await $0.hold($1) }
        handle(.conversationHoldList) { try await $0.listHolds($1) }
        handle(.teamRetention) { try await $0.setRetention($1) }
    }
}

extension ClientSession {
    func archive(_ request: ConversationArchiveRequest) async throws -> EmptyReply {
        try await server.store.lifeCycle.archive(request, by: user.id)
        server.hub.lists.changed(user.id)
        return EmptyReply()
    }

    func listDeleted(_ request: DeletedListRequest) async throws -> DeletedListReply {
        DeletedListReply(
            conversations: try await server.store.lifeCycle.deletedConversations(
                of: user.id,
                server.lifeCycle,
                limit: try Limits.page(request.limit)
            )
        )
    }

    func restore(_ request: ConversationRequest) async throws -> ConversationReply {
        let committed = try await server.store.lifeCycle.restore(request.conversation, by: user)
        server.hub.publish(committed.events, in: request.conversation)
        return ConversationReply(conversation: committed.value)
    }

    func hold(_ request: ConversationHoldRequest) async throws -> EmptyReply {
        try Limits.check(request.reason, "reason", atMost: 500)
        guard !request.hold || request.reason?.contains(where: { !$0.isWhitespace }) == true else {
            throw WireError(.badRequest, "a hold needs a reason")
        }
        try await server.store.lifeCycle.hold(request, by: user)
        return EmptyReply()
    }

    func listHolds(_ request: HoldListRequest) async throws -> HoldListReply {
        try await server.store.lifeCycle.holds(request, limit: try Limits.page(request.limit))
    }

    func setRetention(_ request: TeamRetentionRequest) async throws -> EmptyReply {
        if let days = request.days, !(1...36_500).contains(days) {
            throw WireError(.badRequest, "days must be 1 to 36500")
        }
        try await server.store.lifeCycle.setRetention(request, by: user)
        server.hub.lists.changed(request.team)
        return EmptyReply()
    }

    /// Refuses a lifetime of under a minute or over a year.
    func checkLifetime(_ seconds: Int?) throws(WireError) {
        guard let seconds, !(60...31_536_000).contains(seconds) else { return }
        throw WireError(.badRequest, "expires_in must be 60 to 31536000 seconds")
    }
}
