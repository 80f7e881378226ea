// The operations on other people's accounts, for administrators.

import ChatProtocol
import ChatStore

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

    /// Makes an account, and the link by which its password is set.
    func createUser(_ request: UserCreateRequest) async throws -> UserLinkReply {
        let name = try Authenticator.validName(request.name)
        let (id, token) = try await server.accounts.createUser(
            named: name,
            isAdministrator: request.isAdmin ?? false,
            by: Actor(user)
        )
        return try await link(token, of: id)
    }

    /// Makes a link by which a user sets a new password. The old one is good until then.
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

    /// Changes what an account may do: acknowledged after the commit, when its connections are told.
    func updateUser(_ request: UserUpdateRequest) async throws -> UserReply {
        let actor = Actor(user)
        // Whoever is enabled and made an administrator at once needs to be enabled first.
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

    /// Deletes an account: acknowledged after the commit, when its connections are closed.
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
