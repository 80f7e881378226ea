// Operations on other people's accounts, for administrators.

import ChatProtocol
import ChatStore

extension OperationRouter {
    mutating func addUsers() {
        handle(.userList) { try await $0.listUsers($1) }
        handle(.userCreate) { try await $0.createUser($1) }
        handle(.userUpdate) { try await $0.updateUser($1) }
        handle(.userSessions) { try await $0.listUserSessions($1) }
        handle(.userSessionsRevoke) { try await $0.revokeUserSessions($1) }
        handle(.userReset) { try await $0.resetUser($1) }
        handle(.userDelete) { try await $0.deleteUser($1) }
    }
}

extension ClientSession {
    func listUsers(_ request: UserListRequest) async throws -> UserListReply {
        let limit = try Limits.page(request.limit)
        try Limits.check(request.query, "query", atMost: 256)
        try Limits.check(request.cursor, "cursor", atMost: 256)
        let page = try await server.store.accounts.userAccounts(
            matching: request.query,
            after: request.cursor,
            limit: limit + 1
        )
        let users = Array(page.prefix(limit))
        return UserListReply(users: users, cursor: page.count > limit ? users.last?.name : nil)
    }

    /// Creates an account, and the link that sets its password.
    func createUser(_ request: UserCreateRequest) async throws -> UserLinkReply {
        let name = try Authenticator.validName(request.name)
        let (id, token) = try await server.accounts.createUser(
            named: name,
            isAdministrator: request.isAdmin ?? false,
            by: Actor(user)
        )
        return try await link(token, of: id)
    }

    /// Creates a link that sets a new password. The old one stays valid until then.
    func resetUser(_ request: UserRequest) async throws -> UserLinkReply {
        let token = try await server.accounts.makeResetLink(for: request.user, by: Actor(user))
        return try await link(token, of: request.user)
    }

    private func link(_ token: String, of id: UserID) async throws -> UserLinkReply {
        let end = Timestamp.now.milliseconds + Int64(Accounts.linkLifetime / .milliseconds(1))
        return UserLinkReply(
            user: try await server.store.accounts.userAccount(id),
            link: "\(server.settings.publicURL ?? "")/#reset=\(token)",
            expiresAt: Timestamp(milliseconds: end)
        )
    }

    /// Changes what an account may do; replies after the commit, once its connections are notified.
    func updateUser(_ request: UserUpdateRequest) async throws -> UserReply {
        let actor = Actor(user)
        // Only an enabled account can become an administrator.
        if request.isDisabled == false {
            try await server.accounts.enable(request.user, by: actor)
        }
        if let isAdmin = request.isAdmin {
            try await server.accounts.setAdministrator(request.user, isAdmin, by: actor)
        }
        if request.isDisabled == true {
            try await server.accounts.disable(request.user, by: actor)
        }
        return UserReply(user: try await server.store.accounts.userAccount(request.user))
    }

    /// Deletes an account; replies after the commit, once its connections are closed.
    func deleteUser(_ request: UserRequest) async throws -> EmptyReply {
        guard request.user != user.id else {
            throw WireError(.forbidden, "this is your own account: account.delete deletes it")
        }
        let left = try await server.accounts.delete(request.user, by: Actor(user))
        for team in left { server.hub.lists.changed(team) }
        return EmptyReply()
    }

    func listUserSessions(_ request: UserRequest) async throws -> SessionListReply {
        _ = try await server.store.accounts.userAccount(request.user)
        return SessionListReply(
            sessions: try await server.store.sessions.list(of: request.user, current: session)
        )
    }

    func revokeUserSessions(
        _ request: UserSessionsRevokeRequest
    ) async throws -> SessionRevokeOthersReply {
        let actor = Actor(user)
        _ = try await server.store.accounts.userAccount(request.user)
        if let session = request.session {
            try await server.accounts.revokeSession(session, of: request.user, by: actor)
            return SessionRevokeOthersReply(ended: 1)
        }
        let ended = try await server.accounts.revokeSessions(of: request.user, but: nil, by: actor)
        return SessionRevokeOthersReply(ended: ended)
    }
}
