// The operations on one's own account.

import ChatProtocol
import ChatStore

extension ClientSession {
    func listSessions() async throws -> SessionListReply {
        let sessions = try await server.store.sessions.list(of: user.id, current: session)
        return SessionListReply(sessions: sessions)
    }

    func revokeSession(_ request: SessionRevokeRequest) async throws -> EmptyReply {
        try await server.accounts.revokeSession(request.session, of: user.id, by: Actor(user))
        return EmptyReply()
    }

    func revokeOtherSessions() async throws -> SessionRevokeOthersReply {
        let ended = try await server.accounts.revokeSessions(
            of: user.id,
            but: session,
            by: Actor(user)
        )
        return SessionRevokeOthersReply(ended: ended)
    }

    /// Deletes the asker's account, and with it the sign-in that asks: answered before that ends.
    func deleteAccount(_ id: Int64, _ request: AccountDeleteRequest) async throws {
        try await server.authenticator.confirm(signedIn, password: request.password)
        let left = try await server.store.accounts.delete(user.id, by: Actor(user))
        for team in left { server.hub.lists.changed(team) }
        grant(id, EmptyReply())
        await server.signIns.changed(user.id)
    }
}
