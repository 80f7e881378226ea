// Operations on the user's own account.

import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addAccount() {
        handle(.sessionList) { session, _ in try await session.listSessions() }
        handle(.sessionRevoke) { try await $0.revokeSession($1) }
        handle(.sessionRevokeOthers) { session, _ in try await session.revokeOtherSessions() }
        handle(.deviceFind) { try await $0.findDevice($1) }
        handle(.deviceAnswer) { try await $0.answerDevice($1) }
        handle(.accountPassword) { try await $0.changePassword($1) }
        respond(to: .accountDelete) { try await $0.deleteAccount($2, $1) }
        handle(.keyCreate) { try await $0.createKey($1) }
        handle(.keyList) { session, _ in try await session.listKeys() }
        handle(.keyRevoke) { try await $0.revokeKey($1) }
    }
}

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

    /// Deletes the user's account. The reply is sent before the requesting sign-in ends.
    func deleteAccount(_ id: Int64, _ request: AccountDeleteRequest) async throws {
        try await server.authenticator.confirm(signedIn, password: request.password)
        let left = try await server.store.accounts.delete(user.id, by: Actor(user))
        for team in left { server.hub.lists.changed(team) }
        grant(id, EmptyReply())
        await server.signIns.changed(user.id)
    }
}
