// The operations on links to conversations.

import ChatProtocol
import ChatStore

extension ClientSession {
    func share(_ request: ShareCreateRequest) async throws -> ShareReply {
        if let seconds = request.expiresIn, !(60...365 * 86400).contains(seconds) {
            throw WireError(.badRequest, "expires_in must be a minute to a year, in seconds")
        }
        let token = Token.make()
        let share = try await server.store.shares.create(request, tokenHash: token.hash, by: user)
        return ShareReply(share: share, token: token.text)
    }

    func revokeShare(_ request: ShareRevokeRequest) async throws -> EmptyReply {
        try await server.store.shares.revoke(request, by: user)
        // Other nodes find out within a second.
        server.readers.end(request.share)
        await server.hub.settle()
        return EmptyReply()
    }
}
