// Operations on links to conversations.

import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addShares() {
        handle(.shareCreate) { try await $0.share($1) }
        handle(.shareList) { try await $0.listShares($1) }
        handle(.shareRevoke) { try await $0.revokeShare($1) }
        handle(.shareWatch) { _, _ -> ShareWatchReply in
            throw WireError(
                .badRequest,
                "share.watch must be the first frame of a connection without an account"
            )
        }
    }
}

extension ClientSession {
    func share(_ request: ShareCreateRequest) async throws -> ShareReply {
        if let seconds = request.expiresIn, !(60...365 * 86400).contains(seconds) {
            throw WireError(.badRequest, "expires_in must be a minute to a year, in seconds")
        }
        let token = Token.make()
        let share = try await server.store.shares.create(request, tokenHash: token.hash, by: user)
        return ShareReply(share: share, token: token.text)
    }

    func listShares(_ request: ConversationRequest) async throws -> ShareListReply {
        let shares = try await server.store.shares.list(of: request.conversation, for: user.id)
        return ShareListReply(shares: shares)
    }

    func revokeShare(_ request: ShareRevokeRequest) async throws -> EmptyReply {
        try await server.store.shares.revoke(request, by: user)
        // Other nodes notice it within a second.
        server.readers.end(request.share)
        await server.hub.settle()
        return EmptyReply()
    }
}
